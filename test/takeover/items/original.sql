PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    published_at TIMESTAMP NOT NULL,
    status INTEGER NOT NULL,
    reason INTEGER,
    retry_count INTEGER NOT NULL,
    created_at TIMESTAMP NOT NULL,
    last_checked_at TIMESTAMP NOT NULL
);
INSERT INTO items VALUES(1,'https://www.soumu.example/menu_news/s-news/01kiban01/','報道発表 01','2025-01-02 03:41:05.123456789 +0000 UTC m=+0.512345678',0,NULL,0,'2025-01-02 05:05:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:27:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(2,'https://www.soumu.example/menu_news/s-news/01kiban02/?utm_source=rss','報道発表 02','2025-01-02 03:18:05.123456789 +0000 UTC m=+0.512345678',1,1,1,'2025-01-02 05:06:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:50:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(3,'https://www.soumu.example:443/menu_news/s-news/01kiban03.html?id=7&utm_medium=feed','報道発表 03','2025-01-02 03:55:05.123456789 +0000 UTC m=+0.512345678',1,2,2,'2025-01-02 05:07:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:13:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(4,'https://www.soumu.example/menu_news/s-news/01kiban04.html#top','報道発表 04','2025-01-02 03:32:05.123456789 +0000 UTC m=+0.512345678',1,3,9,'2025-01-02 05:08:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:36:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(5,'https://www.soumu.example/menu_news/s-news/01kiban05.html','報道発表 05','2025-01-02 03:09:05.123456789 +0000 UTC m=+0.512345678',1,4,3,'2025-01-02 05:09:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:59:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(6,'https://www.soumu.example/menu_news/s-news/01kiban06/','報道発表 06','2025-01-02 03:46:05.123456789 +0000 UTC m=+0.512345678',1,5,4,'2025-01-02 05:10:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:22:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(7,'https://www.Soumu.example/menu_news/s-news/01kiban07/?utm_source=rss','報道発表 07','2025-01-02 03:23:05.123456789 +0000 UTC m=+0.512345678',2,NULL,0,'2025-01-02 05:11:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:45:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(8,'https://www.soumu.example/menu_news/s-news/01kiban08.html?id=7&utm_medium=feed','報道発表 08','2025-01-02 04:00:05.123456789 +0000 UTC m=+0.512345678',2,5,1,'2025-01-02 05:12:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:08:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(9,'https://www.soumu.example/menu_news/s-news/01kiban09.html#top','報道発表 09','2025-01-02 03:37:05.123456789 +0000 UTC m=+0.512345678',3,0,0,'2025-01-02 05:13:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:31:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(10,'https://www.soumu.example:443/menu_news/s-news/01kiban10.html','報道発表 10','2025-01-02 03:14:05.123456789 +0000 UTC m=+0.512345678',3,6,11,'2025-01-02 05:14:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 08:54:05.123456789 +0000 UTC m=+0.512345678');
INSERT INTO items VALUES(11,'https://www.soumu.example/menu_news/s-news/01kiban11/','報道発表 11','2025-01-02 12:51:05.5 +0900 JST',0,NULL,0,'2025-01-02 14:15:05.5 +0900 JST','2025-01-02 17:17:05.5 +0900 JST');
INSERT INTO items VALUES(12,'https://www.soumu.example/menu_news/s-news/01kiban12/?utm_source=rss','報道発表 12','2025-01-02 12:28:05.5 +0900 JST',1,1,1,'2025-01-02 14:16:05.5 +0900 JST','2025-01-02 17:40:05.5 +0900 JST');
INSERT INTO items VALUES(13,'https://www.soumu.example/menu_news/s-news/01kiban13.html?id=7&utm_medium=feed','報道発表 13','2025-01-02 12:05:05.5 +0900 JST',1,2,2,'2025-01-02 14:17:05.5 +0900 JST','2025-01-02 18:03:05.5 +0900 JST');
INSERT INTO items VALUES(14,'https://www.Soumu.example/menu_news/s-news/01kiban14.html#top','報道発表 14','2025-01-02 12:42:05.5 +0900 JST',1,3,9,'2025-01-02 14:18:05.5 +0900 JST','2025-01-02 17:26:05.5 +0900 JST');
INSERT INTO items VALUES(15,'https://www.soumu.example/menu_news/s-news/01kiban15.html','報道発表 15','2025-01-02 12:19:05.5 +0900 JST',1,4,3,'2025-01-02 14:19:05.5 +0900 JST','2025-01-02 17:49:05.5 +0900 JST');
INSERT INTO items VALUES(16,'https://www.soumu.example/menu_news/s-news/01kiban16/','報道発表 16','2025-01-02 12:56:05.5 +0900 JST',1,5,4,'2025-01-02 14:20:05.5 +0900 JST','2025-01-02 17:12:05.5 +0900 JST');
INSERT INTO items VALUES(17,'https://www.soumu.example:443/menu_news/s-news/01kiban17/?utm_source=rss','報道発表 17','2025-01-02 12:33:05.5 +0900 JST',2,NULL,0,'2025-01-02 14:21:05.5 +0900 JST','2025-01-02 17:35:05.5 +0900 JST');
INSERT INTO items VALUES(18,'https://www.soumu.example/menu_news/s-news/01kiban18.html?id=7&utm_medium=feed','報道発表 18','2025-01-02 12:10:05.5 +0900 JST',2,5,1,'2025-01-02 14:22:05.5 +0900 JST','2025-01-02 17:58:05.5 +0900 JST');
INSERT INTO items VALUES(19,'https://www.soumu.example/menu_news/s-news/01kiban19.html#top','報道発表 19','2025-01-02 12:47:05.5 +0900 JST',3,0,0,'2025-01-02 14:23:05.5 +0900 JST','2025-01-02 17:21:05.5 +0900 JST');
INSERT INTO items VALUES(20,'https://www.soumu.example/menu_news/s-news/01kiban20.html','報道発表 20','2025-01-02 12:24:05.5 +0900 JST',3,6,11,'2025-01-02 14:24:05.5 +0900 JST','2025-01-02 17:44:05.5 +0900 JST');
INSERT INTO items VALUES(21,'https://www.Soumu.example/menu_news/s-news/01kiban21/','報道発表 21','2025-01-02 13:01:05.25+09:00',0,NULL,0,'2025-01-02 14:25:05.25+09:00','2025-01-02 17:07:05.25+09:00');
INSERT INTO items VALUES(22,'https://www.soumu.example/menu_news/s-news/01kiban22/?utm_source=rss','報道発表 22','2025-01-02 12:38:05.25+09:00',1,1,1,'2025-01-02 14:26:05.25+09:00','2025-01-02 17:30:05.25+09:00');
INSERT INTO items VALUES(23,'https://www.soumu.example/menu_news/s-news/01kiban23.html?id=7&utm_medium=feed','報道発表 23','2025-01-02 12:15:05.25+09:00',1,2,2,'2025-01-02 14:27:05.25+09:00','2025-01-02 17:53:05.25+09:00');
INSERT INTO items VALUES(24,'https://www.soumu.example:443/menu_news/s-news/01kiban24.html#top','報道発表 24','2025-01-02 12:52:05.25+09:00',1,3,9,'2025-01-02 14:28:05.25+09:00','2025-01-02 17:16:05.25+09:00');
INSERT INTO items VALUES(25,'https://www.soumu.example/menu_news/s-news/01kiban25.html','報道発表 25','2025-01-02 12:29:05.25+09:00',1,4,3,'2025-01-02 14:29:05.25+09:00','2025-01-02 17:39:05.25+09:00');
INSERT INTO items VALUES(26,'https://www.soumu.example/menu_news/s-news/01kiban26/','報道発表 26','2025-01-02 12:06:05.25+09:00',1,5,4,'2025-01-02 14:30:05.25+09:00','2025-01-02 18:02:05.25+09:00');
INSERT INTO items VALUES(27,'https://www.soumu.example/menu_news/s-news/01kiban27/?utm_source=rss','報道発表 27','2025-01-02 12:43:05.25+09:00',2,NULL,0,'2025-01-02 14:31:05.25+09:00','2025-01-02 17:25:05.25+09:00');
INSERT INTO items VALUES(28,'https://www.Soumu.example/menu_news/s-news/01kiban28.html?id=7&utm_medium=feed','報道発表 28','2025-01-02 12:20:05.25+09:00',2,5,1,'2025-01-02 14:32:05.25+09:00','2025-01-02 17:48:05.25+09:00');
INSERT INTO items VALUES(29,'https://www.soumu.example/menu_news/s-news/01kiban29.html#top','報道発表 29','2025-01-02 12:57:05.25+09:00',3,0,0,'2025-01-02 14:33:05.25+09:00','2025-01-02 17:11:05.25+09:00');
INSERT INTO items VALUES(30,'https://www.soumu.example/menu_news/s-news/01kiban30.html','報道発表 30','2025-01-02 12:34:05.25+09:00',3,6,11,'2025-01-02 14:34:05.25+09:00','2025-01-02 17:34:05.25+09:00');
INSERT INTO items VALUES(31,'https://www.soumu.example:443/menu_news/s-news/01kiban31/','報道発表 31','2025-01-02T03:11:05Z',0,NULL,0,'2025-01-02T05:35:05Z','2025-01-02T08:57:05Z');
INSERT INTO items VALUES(32,'https://www.soumu.example/menu_news/s-news/01kiban32/?utm_source=rss','報道発表 32','2025-01-02T03:48:05Z',1,1,1,'2025-01-02T05:36:05Z','2025-01-02T08:20:05Z');
INSERT INTO items VALUES(33,'https://www.soumu.example/menu_news/s-news/01kiban33.html?id=7&utm_medium=feed','報道発表 33','2025-01-02T03:25:05Z',1,2,2,'2025-01-02T05:37:05Z','2025-01-02T08:43:05Z');
INSERT INTO items VALUES(34,'https://www.soumu.example/menu_news/s-news/01kiban34.html#top','報道発表 34','2025-01-02T04:02:05Z',1,3,9,'2025-01-02T05:38:05Z','2025-01-02T08:06:05Z');
INSERT INTO items VALUES(35,'https://www.Soumu.example/menu_news/s-news/01kiban35.html','報道発表 35','2025-01-02T03:39:05Z',1,4,3,'2025-01-02T05:39:05Z','2025-01-02T08:29:05Z');
INSERT INTO items VALUES(36,'https://www.soumu.example/menu_news/s-news/01kiban36/','報道発表 36','2025-01-02T03:16:05Z',1,5,4,'2025-01-02T05:40:05Z','2025-01-02T08:52:05Z');
INSERT INTO items VALUES(37,'https://www.soumu.example/menu_news/s-news/01kiban37/?utm_source=rss','報道発表 37','2025-01-02T03:53:05Z',2,NULL,0,'2025-01-02T05:41:05Z','2025-01-02T08:15:05Z');
INSERT INTO items VALUES(38,'https://www.soumu.example:443/menu_news/s-news/01kiban38.html?id=7&utm_medium=feed','報道発表 38','2025-01-02T03:30:05Z',2,5,1,'2025-01-02T05:42:05Z','2025-01-02T08:38:05Z');
INSERT INTO items VALUES(39,'https://www.soumu.example/menu_news/s-news/01kiban39.html#top','報道発表 39','2025-01-02T03:07:05Z',3,0,0,'2025-01-02T05:43:05Z','2025-01-02T09:01:05Z');
INSERT INTO items VALUES(40,'https://www.soumu.example/menu_news/s-news/01kiban40.html','報道発表 40','2025-01-02T03:44:05Z',3,6,11,'2025-01-02T05:44:05Z','2025-01-02T08:24:05Z');
INSERT INTO items VALUES(41,'https://www.soumu.example/menu_news/s-news/01kiban41/','報道発表 41','2025-01-02 03:21:05',0,NULL,0,'2025-01-02 05:45:05','2025-01-02 08:47:05');
INSERT INTO items VALUES(42,'https://www.Soumu.example/menu_news/s-news/01kiban42/?utm_source=rss','報道発表 42','2025-01-02 03:58:05',1,1,1,'2025-01-02 05:46:05','2025-01-02 08:10:05');
INSERT INTO items VALUES(43,'https://www.soumu.example/menu_news/s-news/01kiban43.html?id=7&utm_medium=feed','報道発表 43','2025-01-02 03:35:05',1,2,2,'2025-01-02 05:47:05','2025-01-02 08:33:05');
INSERT INTO items VALUES(44,'https://www.soumu.example/menu_news/s-news/01kiban44.html#top','報道発表 44','2025-01-02 03:12:05',1,3,9,'2025-01-02 05:48:05','2025-01-02 08:56:05');
INSERT INTO items VALUES(45,'https://www.soumu.example:443/menu_news/s-news/01kiban45.html','報道発表 45','2025-01-02 03:49:05',1,4,3,'2025-01-02 05:49:05','2025-01-02 08:19:05');
INSERT INTO items VALUES(46,'https://www.soumu.example/menu_news/s-news/01kiban46/','報道発表 46','2025-01-02 03:26:05',1,5,4,'2025-01-02 05:50:05','2025-01-02 08:42:05');
INSERT INTO items VALUES(47,'https://www.soumu.example/menu_news/s-news/01kiban47/?utm_source=rss','報道発表 47','2025-01-02 04:03:05',2,NULL,0,'2025-01-02 05:51:05','2025-01-02 08:05:05');
INSERT INTO items VALUES(48,'https://www.soumu.example/menu_news/s-news/01kiban48.html?id=7&utm_medium=feed','報道発表 48','2025-01-02 03:40:05',2,5,1,'2025-01-02 05:52:05','2025-01-02 08:28:05');
INSERT INTO items VALUES(49,'https://www.Soumu.example/menu_news/s-news/01kiban49.html#top','報道発表 49','2025-01-02 03:17:05',3,0,0,'2025-01-02 05:53:05','2025-01-02 08:51:05');
INSERT INTO items VALUES(50,'https://www.soumu.example/menu_news/s-news/01kiban50.html','報道発表 50','2025-01-02 03:54:05',3,6,11,'2025-01-02 05:54:05','2025-01-02 08:14:05');
INSERT INTO items VALUES(51,'https://www.soumu.example/menu_news/s-news/01kiban51/','報道発表 51',1735788665,0,NULL,0,1735797305,1735807025);
INSERT INTO items VALUES(52,'https://www.soumu.example:443/menu_news/s-news/01kiban52/?utm_source=rss','報道発表 52',1735787285,1,1,1,1735797365,1735808405);
INSERT INTO items VALUES(53,'https://www.soumu.example/menu_news/s-news/01kiban53.html?id=7&utm_medium=feed','報道発表 53',1735789505,1,2,2,1735797425,1735806185);
INSERT INTO items VALUES(54,'https://www.soumu.example/menu_news/s-news/01kiban54.html#top','報道発表 54',1735788125,1,3,9,1735797485,1735807565);
INSERT INTO items VALUES(55,'https://www.soumu.example/menu_news/s-news/01kiban55.html','報道発表 55',1735790345,1,4,3,1735797545,1735805345);
INSERT INTO items VALUES(56,'https://www.Soumu.example/menu_news/s-news/01kiban56/','報道発表 56',1735788965,1,5,4,1735797605,1735806725);
INSERT INTO items VALUES(57,'https://www.soumu.example/menu_news/s-news/01kiban57/?utm_source=rss','報道発表 57',1735787585,2,NULL,0,1735797665,1735808105);
INSERT INTO items VALUES(58,'https://www.soumu.example/menu_news/s-news/01kiban58.html?id=7&utm_medium=feed','報道発表 58',1735789805,2,5,1,1735797725,1735805885);
INSERT INTO items VALUES(59,'https://www.soumu.example:443/menu_news/s-news/01kiban59.html#top','報道発表 59',1735788425,3,0,0,1735797785,1735807265);
INSERT INTO items VALUES(60,'https://www.soumu.example/menu_news/s-news/01kiban60.html','報道発表 60',1735787045,3,6,11,1735797845,1735805045);
INSERT INTO items VALUES(61,'https://www.soumu.example/gone.html','消えたページ','2025-01-02 03:04:05.123456789 +0000 UTC m=+0.512345678',1,3,10,'2025-01-02 03:04:05.123456789 +0000 UTC m=+0.512345678','2025-01-02 03:04:05.123456789 +0000 UTC m=+0.512345678');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('items',61);
CREATE UNIQUE INDEX idx_items_url ON items (url);
CREATE INDEX idx_items_status_last_checked_at ON items (status, last_checked_at);
CREATE INDEX idx_items_status_published_at ON items (status, published_at);
COMMIT;
