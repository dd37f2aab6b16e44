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
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('1dfbb816-09e8-4965-9379-ed20e328df87', 'gemini/gemini-2.5-flash', 1772420481991, 1, 485, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('2174264a-15ab-4bc3-9a82-49cdd92ec0f2', 'gemini/gemini-2.5-flash', 1772420482009, 1, 574, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('2cf31890-2aee-478b-96e7-55757c6a130c', 'gemini/gemini-2.5-flash', 1772420608685, 1, 485, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('7c899f51-bc42-41b7-ab01-c656cc4b1d84', 'gemini/gemini-2.5-flash', 1772420608701, 1, 573, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('88d4ee69-747e-40ce-9bb2-02a40c70144d', 'gemini/gemini-2.5-flash', 1772420417956, 1, 573, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('917d1c95-6c85-44bd-975e-b9c8002b5cae', 'gemini/gemini-2.5-flash', 1772420481991, 1, 573, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('cb494cd4-9106-4449-be66-4a7d59d2698b', 'gemini/gemini-2.5-flash', 1772420417955, 1, 485, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('cd642700-959c-4c13-8ec6-1669b47119b7', 'gemini/gemini-2.5-flash', 1772420608685, 1, 574, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('db7c64db-40b9-405b-aa53-f532074399c8', 'gemini/gemini-2.5-flash', 1772420417996, 1, 573, 0, 1);
INSERT INTO "judge_calls" (id, purse, at, calls, tokens, micro_usd, settled) VALUES ('f031a36c-bbcc-43ba-9c54-43fe03d24759', 'gemini/gemini-2.5-flash', 1772420608698, 1, 573, 0, 1);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '0ab9ee1893d8f7372a1d4888f92833bb', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":23}}', 1772420608708);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '1934d08d3fe0fd835e8345f5ef6c0b6b', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":97}}', 1772420418049);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '2ca654390ae8f9d2414ca4341a665a03', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":8,"topics":[],"summary":"About off-old. The day on the coast is mild. Clouds clear early. A light wind blows. The sea is calm. Rain returns on Thursday. Gardens can be planted now. Nights stay cool. Hills see fog.","reason":"It matches none of the interests."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":413,"outputTokens":72,"microUsd":0,"ms":29}}', 1772420482010);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '654db86a1f11ee5d7c03633d6942abe9', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":8,"topics":[],"summary":"About off-one. The day on the coast is mild. Clouds clear early. A light wind blows. The sea is calm. Rain returns on Thursday. Gardens can be planted now. Nights stay cool. Hills see fog.","reason":"It matches none of the interests."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":413,"outputTokens":72,"microUsd":0,"ms":47}}', 1772420417997);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', '9e47b7a9f7cf9515070033217dbe22ba', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":497,"outputTokens":77,"microUsd":0,"ms":17}}', 1772420608702);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'c3b8442bc2ece651f912800057b8164b', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":27}}', 1772420608715);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'c3c7fdee3eeade1acdcead620333224f', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":497,"outputTokens":77,"microUsd":0,"ms":31}}', 1772420482021);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'cb92de476e57f5e8296436293ed4e6b4', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":120}}', 1772420418075);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'e49d5587bdf5ab51e6cce37776dc4e1f', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":8,"topics":[],"summary":"About off-two. The day on the coast is mild. Clouds clear early. A light wind blows. The sea is calm. Rain returns on Thursday. Gardens can be planted now. Nights stay cool. Hills see fog.","reason":"It matches none of the interests."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":413,"outputTokens":72,"microUsd":0,"ms":17}}', 1772420608699);
INSERT INTO "judge_verdicts" (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at) VALUES ('evaluate', 'f79d2a9abee96714113c3c72ff6c8469', 'gemini/gemini-2.5-flash', '7a962fa44574', '25101046546eb6a3', '{"score":94,"topics":["TypeScript"],"summary":"The TypeScript compiler is twice as fast as it was last year. The checker was rewritten, and it reports the same errors as before. Large projects gain most, because they compile all files at once.","reason":"It is about TypeScript."}', '{"judge":"gemini","model":"gemini-2.5-flash","promptVersion":"7a962fa44574","provisional":false,"usage":{"calls":1,"inputTokens":496,"outputTokens":77,"microUsd":0,"ms":34}}', 1772420482015);
INSERT INTO "judge_interests" (version, topics, first_seen_at) VALUES ('25101046546eb6a3', '[{"topic":"TypeScript","aliases":["compiler"],"priority":"medium"}]', 1763780407661);
CREATE INDEX judge_calls_purse_at ON judge_calls (purse, at, calls, tokens, micro_usd);
CREATE INDEX judge_calls_at ON judge_calls (at);
CREATE INDEX judge_verdicts_made_at ON judge_verdicts (made_at);
COMMIT;
PRAGMA user_version = 2;
