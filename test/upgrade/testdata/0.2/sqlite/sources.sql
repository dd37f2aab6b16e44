PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE sources (
        source_id         TEXT PRIMARY KEY,
        memory            TEXT NOT NULL,
        moved_to          TEXT,
        last_tried_at     INTEGER,
        last_success_at   INTEGER,
        trouble_why       TEXT,
        trouble_detail    TEXT,
        trouble_at        INTEGER,
        failures_in_a_row INTEGER NOT NULL DEFAULT 0,
        next_at           INTEGER,
        items_seen        INTEGER NOT NULL DEFAULT 0,
        baseline_taken_at INTEGER
      , reported TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "sources" (source_id, memory, moved_to, last_tried_at, last_success_at, trouble_why, trouble_detail, trouble_at, failures_in_a_row, next_at, items_seen, baseline_taken_at, reported) VALUES ('articles', '{"configured":"http://feeds.sim/articles.xml","address":"http://feeds.sim/articles.xml","etag":"\"15\"","modified":null,"bodyHash":"kLoGG7ZXIvWtjGMihfc4ld","identity":"link","identityCertain":true,"identityWhy":"every item has its own address","guidsWander":false,"identityBase":"https://news.example/","rules":"","seen":"y0StkV5Ty0StkV5Tk5q6ADLOvtYMO-xOvtYMO-xOTjzkFhiQSuBG7NzSSuBG7NzSRapDMPI9CinALMmMCinALMmM2cjVbh5usJES1LTosJES1LToS7jkY3upSS7CxOcwSS7CxOcw0QqWEo0XFjFTLwAPFjFTLwAPoNSiLyOUyKKlChBZyKKlChBZN73uKq5mvlmvJNnCvlmvJNnCBU4ckso_FXh8MCfeFXh8MCfeHuiFIihpJ7m7XLu7J7m7XLu7_C-sSZXWQ6io5grMQ6io5grM6fwWMQkuTDojCs6bTDojCs6brfvb13a70S56-Kmg0S56-Kmg2nuTbfMqAL-SfnJQAL-SfnJQrrWAK0KU","apart":"","freshForMs":null,"gapMs":21444.444444444445,"newestAt":1772420605000,"oldestAt":1763780400000,"feedTitle":"articles"}', NULL, 1772420606729, 1772420606729, NULL, NULL, NULL, 0, 1772420607697, 34, 1763780405565, 'l6DnXdF-7HK-1UJ3SWQ38uY7Hwx52bd7lHh6a49jBtvS4_DDoNyCiX9aVu4pCugEoGrLN5jnLEfjOu5WQDwA8e9kSkkHcS1888BjHv498q2qTPlRUdzY61R9');
INSERT INTO "sources" (source_id, memory, moved_to, last_tried_at, last_success_at, trouble_why, trouble_detail, trouble_at, failures_in_a_row, next_at, items_seen, baseline_taken_at, reported) VALUES ('channel', '{"channel":"@datatalks","channelId":"UCsimulatedDataTalks000A","channelTitle":null,"uploads":"UUsimulatedDataTalks000A","checkedAt":1772420417410}', NULL, 1772420417428, 1772420417428, NULL, NULL, NULL, 0, 1772420418420, 4, 1763780406102, '5G6gOj-PC1sdFN7XBYw4j4Cs64Nax1t-');
INSERT INTO "sources" (source_id, memory, moved_to, last_tried_at, last_success_at, trouble_why, trouble_detail, trouble_at, failures_in_a_row, next_at, items_seen, baseline_taken_at, reported) VALUES ('notices', '{"configured":"http://feeds.sim/notices.xml","address":"http://feeds.sim/notices.xml","etag":"\"9\"","modified":null,"bodyHash":"3vZaiqdTi6z9sQlulzOWTO","identity":"link","identityCertain":true,"identityWhy":"every item has its own address","guidsWander":false,"identityBase":"https://news.example/","rules":"","seen":"IwOa04lrIwOa04lrzBQpxc6BkIrk4MZzkIrk4MZzi3qbxM2gWhk186FzWhk186FzP5DcmBvgDQJy0ODuDQJy0ODuDEUpDQ6Rg_4p0ccOg_4p0ccOfMQgSpuxfpjtu1fMfpjtu1fMFNdW4PD3aVtwcV0oaVtwcV0oioUymHXNlCiEzG0MlCiEzG0MMgV8GlqZCDI6mad1CDI6mad1hIGweOYs","apart":"","freshForMs":null,"gapMs":1080025625,"newestAt":1772420608000,"oldestAt":1763780403000,"feedTitle":"notices"}', NULL, 1772420609908, 1772420609908, NULL, NULL, NULL, 0, 1772420610871, 22, 1763780405861, 'w0v60icNCFzgHQZESRisA77HYeUgtQ83EUSMxS2_zeIJ5_YVhPVY1fM509lsw_Wb1z6zKJVs');
COMMIT;
PRAGMA user_version = 2;
