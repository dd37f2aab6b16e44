PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE follows (
    follower_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    followed_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (follower_id, followed_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE drops (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id),
    visibility TEXT NOT NULL CHECK (visibility IN ('public', 'followers', 'private')),
    created_at INTEGER NOT NULL,
    text       TEXT NOT NULL,
    title      TEXT,
    url        TEXT,
    item_key   TEXT,
    pipeline   TEXT,
    dedupe_key TEXT UNIQUE,
    deleted_at INTEGER
  ) STRICT, WITHOUT ROWID;
CREATE TABLE blocks (
    blocker_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    blocked_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (blocker_id, blocked_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE notices (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    writer TEXT NOT NULL,
    notice TEXT NOT NULL
  ) STRICT;
CREATE TABLE "users" (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('person', 'pipeline', 'source')),
    created_at   INTEGER NOT NULL
  ) STRICT;
CREATE TABLE unannounced (
    seq    INTEGER PRIMARY KEY,
    change TEXT NOT NULL UNIQUE,
    notice TEXT NOT NULL
  ) STRICT;
INSERT INTO "follows" (follower_id, followed_id, created_at) VALUES ('019aa981-2ed4-76f5-ba4c-2515ff010b8a', '019aa981-2dda-756e-a351-6cfe0b0ac688', 1763780407004);
INSERT INTO "follows" (follower_id, followed_id, created_at) VALUES ('019aa981-2ed4-76f5-ba4c-2515ff010b8a', '019aa981-2e05-7478-ada2-c30674d4aae0', 1763780407031);
INSERT INTO "follows" (follower_id, followed_id, created_at) VALUES ('019aa981-2ed4-76f5-ba4c-2515ff010b8a', '019aa981-2e30-70cd-ad8c-31ac96998a59', 1763780407032);
INSERT INTO "follows" (follower_id, followed_id, created_at) VALUES ('019aa981-2f23-7071-ad20-6e96a0376a3d', '019aa981-2dda-756e-a351-6cfe0b0ac688', 1763780407076);
INSERT INTO "follows" (follower_id, followed_id, created_at) VALUES ('019aa981-2f23-7071-ad20-6e96a0376a3d', '019aa981-2e05-7478-ada2-c30674d4aae0', 1763780407077);
INSERT INTO "follows" (follower_id, followed_id, created_at) VALUES ('019aa981-2f23-7071-ad20-6e96a0376a3d', '019aa981-2ed4-76f5-ba4c-2515ff010b8a', 1763780410313);
INSERT INTO "follows" (follower_id, followed_id, created_at) VALUES ('019aa981-2f23-7071-ad20-6e96a0376a3d', '019aa981-2f27-76da-a300-1c25b7133f30', 1763780410315);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019aa981-37f2-7169-97b1-84d96b1e88f5', '019aa981-2dda-756e-a351-6cfe0b0ac688', 'public', 1763780409330, 'The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.', 'TypeScript: old-2', 'https://news.example/old-2', 'https://news.example/old-2', 'digest', 'UGtT61pQXDA5snhDUR2TdI0s', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019aa981-3896-71a1-8eb4-cd51c7005eed', '019aa981-2dda-756e-a351-6cfe0b0ac688', 'public', 1763780409494, 'The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.', 'TypeScript: old-1', 'https://news.example/old-1', 'https://news.example/old-1', 'digest', '6bN0-PiimObcwSFGmTsCKeN5', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019aa981-3a19-7330-b742-d0d2e3a95f2a', '019aa981-2e05-7478-ada2-c30674d4aae0', 'public', 1763780409881, 'The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.', 'TypeScript: notice-old', 'https://news.example/notice-old', 'https://news.example/notice-old', 'summaries', 'Z7_yclblsLoKZYGZijUsk_3g', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019aa981-3b9c-76cb-a59f-e2e361a091e4', '019aa981-2e30-70cd-ad8c-31ac96998a59', 'public', 1763780410268, 'Most surprises in production come from a query planner that expected ten… A database that acknowledges a write before it is on disk is fast until… Numbers like these depend on the data, so engineers are advised to measure…', 'A field guide to schema migrations without downtime, by Greta Lindqvist', 'https://www.youtube.com/watch?v=AVrDkQ95Spw', 'https://www.youtube.com/watch?v=AVrDkQ95Spw', 'videos', '-iB8M_MQ_Amh-yoxn9CbynRW', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019aa981-3bcb-75a4-8690-9082039cbf35', '019aa981-2ed4-76f5-ba4c-2515ff010b8a', 'public', 1763780410315, 'Good morning', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019aa981-3bce-7128-8cd7-a6710e3f01b1', '019aa981-2ed4-76f5-ba4c-2515ff010b8a', 'followers', 1763780410318, 'For followers', NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019aa981-3bd0-73dd-91be-24c92349e1b3', '019aa981-2ed4-76f5-ba4c-2515ff010b8a', 'public', 1763780410320, '', NULL, NULL, NULL, NULL, NULL, 1763780410321);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4921-7452-ad86-a46f77dd429e', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420417825, '', 'Weather: off-old', 'https://news.example/off-old', 'https://news.example/off-old', NULL, 'source:articles:f3c0631efe3d5871dfb77fec7816d3c20bf78faf98890cd724d2d9fd902e18a6', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4971-772e-a0ad-1a332fe46077', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420417905, '', 'TypeScript: one', 'https://news.example/one', 'https://news.example/one', NULL, 'source:articles:4a4907712d7c0c16ce688b5fbad5cdb9ef522246e1c88a653ae8049948be7dfb', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4975-75a5-900e-6b00972a864e', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420417909, '', 'TypeScript: two', 'https://news.example/two', 'https://news.example/two', NULL, 'source:articles:403c00f1ef64e527b62c0cac15676987c5538f289d2018c076d96299a59cced4', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-497d-702f-9492-8b597c2c90d4', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420417917, '', 'Weather: off-one', 'https://news.example/off-one', 'https://news.example/off-one', NULL, 'source:articles:2c47e33aee56f3822a143ddeb14bf14c47cb9033ad044a1a8ab2ac435681228a', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4988-7563-9379-9fa4f4adcf72', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420417928, '', 'TypeScript: slow-one', 'https://news.example/slow-one', 'https://news.example/slow-one', NULL, 'source:articles:a06acb3798e743d9b5d615eb2427003d4d929bb30ba1b64e28bf568957eed106', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4a39-7365-9d13-d89c21e0cf46', '019aa981-2dda-756e-a351-6cfe0b0ac688', 'public', 1772420418105, 'The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.', 'TypeScript: two', 'https://news.example/two', 'https://news.example/two', 'digest', 'Y3tePhkwC5_HTrCOYIUCXI2A', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4a5a-758e-b9af-56f55dd5d8ae', '019aa981-2dda-756e-a351-6cfe0b0ac688', 'public', 1772420418138, 'The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.', 'TypeScript: one', 'https://news.example/one', 'https://news.example/one', 'digest', 'ciR6z5c10cb_kTFAESKsKBY_', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4b2c-741f-ac10-867f4b34d04a', '019aa981-2e05-7478-ada2-c30674d4aae0', 'public', 1772420418348, 'The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.', 'TypeScript: notice-two', 'https://news.example/notice-two', 'https://news.example/notice-two', 'summaries', 'yJfHQbTEyyoCzUZZmJagNcEY', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4b3a-7465-b1c5-2b155f2fccb5', '019aa981-2e05-7478-ada2-c30674d4aae0', 'public', 1772420418362, 'The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.', 'TypeScript: notice-one', 'https://news.example/notice-one', 'https://news.example/notice-one', 'summaries', 'WdS6ss-DQYWXx-e5RNErVPjC', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7d-4be6-770d-8632-218de3b5268e', '019aa981-2e30-70cd-ad8c-31ac96998a59', 'public', 1772420418534, 'Most surprises in production come from a query planner that expected ten… Backups that nobody has ever restored are hopes… Numbers like these depend on the data, so engineers are advised to measure…', 'A field guide to schema migrations without downtime, by Jun Okafor', 'https://www.youtube.com/watch?v=AVrDkQ95SYA', 'https://www.youtube.com/watch?v=AVrDkQ95SYA', 'videos', 'YHOQAjQYVowfjr2j56_toORC', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7e-438b-77f6-8bfa-7967f18c476b', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420481931, '', 'TypeScript: three', 'https://news.example/three', 'https://news.example/three', NULL, 'source:articles:56ee290ae8046f096b5734724a07cfaa6fac54430defc20864381e186df96e69', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7e-438e-7089-a487-b0a02b9fe562', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420481934, '', 'TypeScript: four', 'https://news.example/four', 'https://news.example/four', NULL, 'source:articles:a0dc82897f5a5d9f778452ef55416f4c93116a49d039581db8557f570ec66c12', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7e-43f5-7761-a19d-7077ef49443b', '019aa981-2dda-756e-a351-6cfe0b0ac688', 'public', 1772420482037, 'The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.', 'TypeScript: four', 'https://news.example/four', 'https://news.example/four', 'digest', 'QzZzZeSkz3MdN-QsB1UYR0an', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac7e-43fc-73f6-86ae-16880caf7440', '019aa981-2dda-756e-a351-6cfe0b0ac688', 'public', 1772420482044, 'The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.', 'TypeScript: three', 'https://news.example/three', 'https://news.example/three', 'digest', '75xuQfGXwQ3LNCa7i_hj1TvU', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-322d-7507-bce4-a904045013fe', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420608557, '', 'TypeScript: waits-one', 'https://news.example/waits-one', 'https://news.example/waits-one', NULL, 'source:articles:06dbd2e3f0c3b856498de522fd18db763e9d1867dcc2f3bcc1dafc8a781643dd', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-3243-72db-ada0-89aa85948891', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420608579, '', 'TypeScript: waits-two', 'https://news.example/waits-two', 'https://news.example/waits-two', NULL, 'source:articles:94787a6b8f63d489ca0ddbfc2ad6e0d693823a8d8b40beee84fe7d8315cb6edd', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-324b-758f-8916-f583854ad22f', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420608587, '', 'TypeScript: five', 'https://news.example/five', 'https://news.example/five', NULL, 'source:articles:1f0c79d9b77b5146d7f2fee6bc8e1419c512d5e5bcf624f90e1deaee035b7653', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-3250-7755-8483-fd6814de45eb', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420608592, '', 'TypeScript: six', 'https://news.example/six', 'https://news.example/six', NULL, 'source:articles:496437f2e63b599c336cd3fe2db9f45def29e7908d9227535cb8e97d99b139ec', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-325a-7258-a67d-ee6b053c9973', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420608602, '', 'TypeScript: seven', 'https://news.example/seven', 'https://news.example/seven', NULL, 'source:articles:ec72bed54277369edf9076807174cc2f57d369322586599668d9da60db51e77d', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-3269-7332-8c68-874d5b713613', '019aa981-2f27-76da-a300-1c25b7133f30', 'followers', 1772420608617, '', 'Weather: off-two', 'https://news.example/off-two', 'https://news.example/off-two', NULL, 'source:articles:97a0e75dd17eebc3567176e5cd338f7a3a359dbf5748db9c46476ae97369971b', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-32d5-7352-971a-95807e87e9e9', '019aa981-2dda-756e-a351-6cfe0b0ac688', 'public', 1772420608725, 'The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.', 'TypeScript: seven', 'https://news.example/seven', 'https://news.example/seven', 'digest', 'MuM3ULKJjKyl9OJ_gV--4bEO', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-32f8-7172-8938-bf2e4e7ea084', '019aa981-2dda-756e-a351-6cfe0b0ac688', 'public', 1772420608760, 'The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.', 'TypeScript: six', 'https://news.example/six', 'https://news.example/six', 'digest', 'i5jXBSRceZLmtAateKEcdPLl', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-4033-74f1-b667-367651ec0374', '019aa981-2e05-7478-ada2-c30674d4aae0', 'public', 1772420612147, 'The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.', 'TypeScript: notice-five', 'https://news.example/notice-five', 'https://news.example/notice-five', 'summaries', 'o7NQ_RPGkohV6eSpmU1EtO5K', NULL);
INSERT INTO "drops" (id, user_id, visibility, created_at, text, title, url, item_key, pipeline, dedupe_key, deleted_at) VALUES ('019cac80-404b-72e0-898f-beb4b02e3386', '019aa981-2e05-7478-ada2-c30674d4aae0', 'public', 1772420612171, 'The TypeScript compiler is twice as fast as it was last year. Large projects gain most, because they compile all files at once. Developers can try the new compiler today with their own projects.', 'TypeScript: notice-four', 'https://news.example/notice-four', 'https://news.example/notice-four', 'summaries', 'UwBIbDtMKQ-NsxNCehXXx6YY', NULL);
INSERT INTO "blocks" (blocker_id, blocked_id, created_at) VALUES ('019aa981-2ed4-76f5-ba4c-2515ff010b8a', '019aa981-3bc8-70e7-a706-02578690ef26', 1763780410312);
INSERT INTO "notices" (seq, writer, notice) VALUES (1, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"followed","userId":"019aa981-2ed4-76f5-ba4c-2515ff010b8a","authorId":"019aa981-2dda-756e-a351-6cfe0b0ac688"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (2, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"followed","userId":"019aa981-2ed4-76f5-ba4c-2515ff010b8a","authorId":"019aa981-2e05-7478-ada2-c30674d4aae0"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (3, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"followed","userId":"019aa981-2ed4-76f5-ba4c-2515ff010b8a","authorId":"019aa981-2e30-70cd-ad8c-31ac96998a59"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (4, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"followed","userId":"019aa981-2f23-7071-ad20-6e96a0376a3d","authorId":"019aa981-2dda-756e-a351-6cfe0b0ac688"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (5, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"followed","userId":"019aa981-2f23-7071-ad20-6e96a0376a3d","authorId":"019aa981-2e05-7478-ada2-c30674d4aae0"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (6, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"followed","userId":"019aa981-2f23-7071-ad20-6e96a0376a3d","authorId":"019aa981-2e30-70cd-ad8c-31ac96998a59"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (7, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"posted","dropId":"019aa981-37f2-7169-97b1-84d96b1e88f5"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (8, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"posted","dropId":"019aa981-3896-71a1-8eb4-cd51c7005eed"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (9, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"posted","dropId":"019aa981-3a19-7330-b742-d0d2e3a95f2a"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (10, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"posted","dropId":"019aa981-3b9c-76cb-a59f-e2e361a091e4"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (11, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"followed","userId":"019aa981-2f23-7071-ad20-6e96a0376a3d","authorId":"019aa981-2ed4-76f5-ba4c-2515ff010b8a"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (12, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"unfollowed","userId":"019aa981-2f23-7071-ad20-6e96a0376a3d","authorId":"019aa981-2e30-70cd-ad8c-31ac96998a59"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (13, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"followed","userId":"019aa981-2f23-7071-ad20-6e96a0376a3d","authorId":"019aa981-2f27-76da-a300-1c25b7133f30"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (14, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"posted","dropId":"019aa981-3bcb-75a4-8690-9082039cbf35"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (15, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"posted","dropId":"019aa981-3bce-7128-8cd7-a6710e3f01b1"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (16, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"posted","dropId":"019aa981-3bd0-73dd-91be-24c92349e1b3"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (17, '4bbafcda-6ae7-4d29-b4eb-9e4bd5dc49e9', '{"kind":"deleted","dropId":"019aa981-3bd0-73dd-91be-24c92349e1b3","userId":"019aa981-2ed4-76f5-ba4c-2515ff010b8a"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (18, '71eaa637-2341-43ef-8324-186e690527a8', '{"kind":"posted","dropId":"019cac7d-4921-7452-ad86-a46f77dd429e"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (19, '71eaa637-2341-43ef-8324-186e690527a8', '{"kind":"posted","dropId":"019cac7d-4971-772e-a0ad-1a332fe46077"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (20, '71eaa637-2341-43ef-8324-186e690527a8', '{"kind":"posted","dropId":"019cac7d-4975-75a5-900e-6b00972a864e"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (21, '71eaa637-2341-43ef-8324-186e690527a8', '{"kind":"posted","dropId":"019cac7d-497d-702f-9492-8b597c2c90d4"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (22, '71eaa637-2341-43ef-8324-186e690527a8', '{"kind":"posted","dropId":"019cac7d-4988-7563-9379-9fa4f4adcf72"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (23, '71eaa637-2341-43ef-8324-186e690527a8', '{"kind":"posted","dropId":"019cac7d-4a39-7365-9d13-d89c21e0cf46"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (24, '71eaa637-2341-43ef-8324-186e690527a8', '{"kind":"posted","dropId":"019cac7d-4a5a-758e-b9af-56f55dd5d8ae"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (25, 'b40a1e79-3f01-4100-8b43-fa4739ff3e83', '{"kind":"posted","dropId":"019cac7d-4b2c-741f-ac10-867f4b34d04a"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (26, 'b40a1e79-3f01-4100-8b43-fa4739ff3e83', '{"kind":"posted","dropId":"019cac7d-4b3a-7465-b1c5-2b155f2fccb5"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (27, '6613c69c-0fa5-474a-b5ef-f2764b2751e9', '{"kind":"posted","dropId":"019cac7d-4be6-770d-8632-218de3b5268e"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (28, 'a95e5dd4-ee07-41de-b800-263fd7afe5b5', '{"kind":"posted","dropId":"019cac7e-438b-77f6-8bfa-7967f18c476b"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (29, 'a95e5dd4-ee07-41de-b800-263fd7afe5b5', '{"kind":"posted","dropId":"019cac7e-438e-7089-a487-b0a02b9fe562"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (30, 'a95e5dd4-ee07-41de-b800-263fd7afe5b5', '{"kind":"posted","dropId":"019cac7e-43f5-7761-a19d-7077ef49443b"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (31, 'a95e5dd4-ee07-41de-b800-263fd7afe5b5', '{"kind":"posted","dropId":"019cac7e-43fc-73f6-86ae-16880caf7440"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (32, 'c262f6c1-1246-41d3-8acf-d8a704a8d2ee', '{"kind":"posted","dropId":"019cac80-322d-7507-bce4-a904045013fe"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (33, 'c262f6c1-1246-41d3-8acf-d8a704a8d2ee', '{"kind":"posted","dropId":"019cac80-3243-72db-ada0-89aa85948891"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (34, 'c262f6c1-1246-41d3-8acf-d8a704a8d2ee', '{"kind":"posted","dropId":"019cac80-324b-758f-8916-f583854ad22f"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (35, 'c262f6c1-1246-41d3-8acf-d8a704a8d2ee', '{"kind":"posted","dropId":"019cac80-3250-7755-8483-fd6814de45eb"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (36, 'c262f6c1-1246-41d3-8acf-d8a704a8d2ee', '{"kind":"posted","dropId":"019cac80-325a-7258-a67d-ee6b053c9973"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (37, 'c262f6c1-1246-41d3-8acf-d8a704a8d2ee', '{"kind":"posted","dropId":"019cac80-3269-7332-8c68-874d5b713613"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (38, 'c262f6c1-1246-41d3-8acf-d8a704a8d2ee', '{"kind":"posted","dropId":"019cac80-32d5-7352-971a-95807e87e9e9"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (39, 'c262f6c1-1246-41d3-8acf-d8a704a8d2ee', '{"kind":"posted","dropId":"019cac80-32f8-7172-8938-bf2e4e7ea084"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (40, '47ee2301-6e29-4e28-bd5a-e9918187d944', '{"kind":"posted","dropId":"019cac80-4033-74f1-b667-367651ec0374"}');
INSERT INTO "notices" (seq, writer, notice) VALUES (41, '47ee2301-6e29-4e28-bd5a-e9918187d944', '{"kind":"posted","dropId":"019cac80-404b-72e0-898f-beb4b02e3386"}');
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-2dda-756e-a351-6cfe0b0ac688', 'digest', 'digest', 'pipeline', 1763780406751);
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-2e05-7478-ada2-c30674d4aae0', 'summaries', 'summaries', 'pipeline', 1763780406798);
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-2e30-70cd-ad8c-31ac96998a59', 'videos', 'videos', 'pipeline', 1763780406833);
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-2ed4-76f5-ba4c-2515ff010b8a', 'hana', 'Hana', 'person', 1763780406996);
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-2f23-7071-ad20-6e96a0376a3d', 'ken', 'ken', 'person', 1763780407075);
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-2f27-76da-a300-1c25b7133f30', 'articles', 'articles', 'source', 1763780407080);
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-2f29-715c-b1c6-b297d80c1955', 'notices', 'notices', 'source', 1763780407082);
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-2f2a-7178-b590-fbeb4be5ff6c', 'channel', 'channel', 'source', 1763780407082);
INSERT INTO "users" (id, name, display_name, kind, created_at) VALUES ('019aa981-3bc8-70e7-a706-02578690ef26', 'mallory', 'Mallory', 'person', 1763780410312);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('notices', 41);
CREATE INDEX follows_by_followed ON follows (followed_id, follower_id);
CREATE INDEX drops_by_user ON drops (user_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX drops_public ON drops (created_at DESC, id DESC) WHERE deleted_at IS NULL AND visibility = 'public';
COMMIT;
PRAGMA user_version = 5;
