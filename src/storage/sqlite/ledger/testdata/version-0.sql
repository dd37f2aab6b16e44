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
CREATE UNIQUE INDEX idx_items_url ON items (url);
CREATE INDEX idx_items_status_last_checked_at ON items (status, last_checked_at);
CREATE INDEX idx_items_status_published_at ON items (status, published_at);
INSERT INTO items VALUES (1,'https://www.example.go.jp/1.html','処理済み','2026-01-05 09:00:00+09:00',3,0,0,'2026-01-05 09:30:00.5+09:00','2026-01-05 10:00:00.123456789+09:00');
INSERT INTO items VALUES (2,'https://www.example.go.jp/2.html','要約待ち、あとの方','2026-01-06 09:00:00+09:00',2,NULL,0,'2026-01-06 00:30:00+00:00','2026-01-06 00:31:00+00:00');
INSERT INTO items VALUES (3,'https://www.example.go.jp/3.html','要約待ち、先の方','2026-01-05 23:30:00+00:00',2,NULL,0,'2026-01-06 00:30:00+00:00','2026-01-06 00:32:00+00:00');
INSERT INTO items VALUES (4,'https://www.example.go.jp/4.html','未完成','2026-01-06 10:00:00 +0900 JST',1,2,2,'2026-01-06 10:30:00.25 +0900 JST m=+0.123','2026-01-06 11:00:00 +0900 JST m=+9.5');
INSERT INTO items VALUES (5,'https://www.example.go.jp/5.html','未処理','2026-01-06T01:00:00Z',0,NULL,0,'2026-01-06T01:30:00Z','2026-01-06T01:30:00Z');
INSERT INTO items VALUES (6,'https://www.example.go.jp/6.html','上限超過','2026-01-01 00:00:00',3,6,6,'2026-01-01 00:30:00','2026-01-04 00:30:00');
