PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  published_at TIMESTAMP NOT NULL,
  status INTEGER NOT NULL,
  reason INTEGER NULL,
  retry_count INTEGER NOT NULL,
  created_at TIMESTAMP NOT NULL,
  last_checked_at TIMESTAMP NOT NULL
);
INSERT INTO items VALUES(1,'https://news.example/published','About https://news.example/published','2026-01-01 00:00:00.000+00:00',3,0,0,'2026-01-01 00:00:01.000+00:00','2026-01-01 00:00:02.000+00:00');
INSERT INTO items VALUES(2,'https://news.example/waiting','About https://news.example/waiting','2026-01-01 00:00:00.001+00:00',0,0,0,'2026-01-01 00:00:01.000+00:00','2026-01-01 00:00:02.001+00:00');
INSERT INTO items VALUES(3,'https://news.example/deferred','About https://news.example/deferred','2026-01-01 00:00:00.002+00:00',1,2,1,'2026-01-01 00:00:01.000+00:00','2026-01-01 00:00:02.002+00:00');
INSERT INTO items VALUES(4,'https://news.example/accepted','About https://news.example/accepted','2026-01-01 00:00:00.003+00:00',2,0,0,'2026-01-01 00:00:01.000+00:00','2026-01-01 00:00:02.003+00:00');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('items',4);
CREATE UNIQUE INDEX idx_items_url ON items (url);
CREATE INDEX idx_items_status_last_checked_at ON items (status, last_checked_at);
CREATE INDEX idx_items_status_published_at ON items (status, published_at);
COMMIT;
