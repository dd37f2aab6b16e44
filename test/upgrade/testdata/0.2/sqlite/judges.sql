PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE judge_calls (
        id TEXT PRIMARY KEY,
        purse TEXT NOT NULL,
        at INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        settled INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
CREATE TABLE judge_verdicts (
        question TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt_version TEXT NOT NULL,
        interests_version TEXT NOT NULL,
        value TEXT NOT NULL,
        provenance TEXT NOT NULL,
        made_at INTEGER NOT NULL,
        PRIMARY KEY (question, text_hash, model, prompt_version, interests_version)
      ) STRICT, WITHOUT ROWID;
CREATE TABLE judge_interests (
        version TEXT PRIMARY KEY,
        topics TEXT NOT NULL,
        first_seen_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
CREATE TABLE judge_troubles (
        judge TEXT PRIMARY KEY,
        why TEXT NOT NULL,
        detail TEXT NOT NULL,
        at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('2348cfb5-c814-4737-9949-20131c5357f0', 'gemini/gemini-2.5-flash', 1772420417159, 1, 573, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('2763b41b-e1bf-4e88-aeb5-4ff44b407086', 'gemini/gemini-2.5-flash', 1772420606738, 1, 451, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('78a91267-933d-4bc9-8695-219cfd3eae87', 'gemini/gemini-2.5-flash', 1772420606760, 1, 573, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('a28d27f4-baf9-4e65-b745-e52294f8ee59', 'gemini/gemini-2.5-flash', 1772420417134, 1, 573, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('a8becad9-0ca8-41cc-b007-d7e9dc7a9a87', 'gemini/gemini-2.5-flash', 1772420606738, 1, 574, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('c25760ce-bde4-493c-b3b8-800f42ee6073', 'gemini/gemini-2.5-flash', 1772420480561, 1, 451, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('c5327e52-2b80-46bb-bafe-3a7cf5af9549', 'gemini/gemini-2.5-flash', 1772420606755, 1, 573, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('c5bbaf16-f6b4-46e5-8a9d-8d97ded45c85', 'gemini/gemini-2.5-flash', 1772420480577, 1, 574, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('f936a4ef-8890-40a3-970d-6d166474dd0f', 'gemini/gemini-2.5-flash', 1772420417134, 1, 451, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('fc85c0fe-f507-4e9b-9e34-2f3e6ac06a5f', 'gemini/gemini-2.5-flash', 1772420480561, 1, 573, 0, 1);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '0ab9ee1893d8f7372a1d4888f92833bb', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":37}}', 1772420606773);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '1934d08d3fe0fd835e8345f5ef6c0b6b', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":30}}', 1772420417164);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '58b35fbf7e594f21c3cd73e811ab108d', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":8,"topics":[],"summary":"Rain is expected in the north on Sunday, and the sea stays calm. Farmers welcome it after a dry month, since the wells are low.","reason":"It matches none of the interests."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":394,"outputTokens":57,"microUsd":0,"ms":18}}', 1772420480578);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '6c32ad34b049783ba9d4756905feab46', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":8,"topics":[],"summary":"Rain is expected in the north on Sunday, and the sea stays calm. Farmers welcome it after a dry month, since the wells are low.","reason":"It matches none of the interests."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":394,"outputTokens":57,"microUsd":0,"ms":21}}', 1772420606756);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '9d7008a9b551e74dbbcfac16aaed5dcb', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":8,"topics":[],"summary":"Rain is expected in the north on Sunday, and the sea stays calm. Farmers welcome it after a dry month, since the wells are low.","reason":"It matches none of the interests."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":394,"outputTokens":57,"microUsd":0,"ms":26}}', 1772420417160);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '9e47b7a9f7cf9515070033217dbe22ba', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":497,"outputTokens":77,"microUsd":0,"ms":25}}', 1772420606760);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'c3b8442bc2ece651f912800057b8164b', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":41}}', 1772420606776);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'c3c7fdee3eeade1acdcead620333224f', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":497,"outputTokens":77,"microUsd":0,"ms":31}}', 1772420480592);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'cb92de476e57f5e8296436293ed4e6b4', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":35}}', 1772420417169);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'f79d2a9abee96714113c3c72ff6c8469', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":24}}', 1772420480583);
INSERT INTO "judge_interests" (version, topics, first_seen_at) VALUES ('25101046546eb6a3', '[{"topic":"TypeScript","aliases":["compiler"],"priority":"medium"}]', 1763780405566);
CREATE INDEX judge_calls_purse_at ON judge_calls (purse, at, calls, tokens, micro_usd);
CREATE INDEX judge_calls_at ON judge_calls (at);
CREATE INDEX judge_verdicts_made_at ON judge_verdicts (made_at);
COMMIT;
PRAGMA user_version = 2;
