import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { credentials, loadPackageDefinition, Metadata, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../scripts/find-program.ts';
import { type GrpcFixture, openGrpcFixture } from '../../src/server/grpc/grpc-server.fixture.ts';
import { DEBIAN_PYTHON, requires } from '../requirements.ts';

const PROTO = join(import.meta.dirname, '..', '..', 'proto');
const run = promisify(execFile);

let fixture: GrpcFixture;
let drops: string[];
beforeEach(async () => {
  fixture = await openGrpcFixture();
  drops = [];
  for (let i = 0; i < 5; i++) {
    const posted = await fixture.social.post({ userId: fixture.ben.id, visibility: 'public', text: `${i}` });
    drops.unshift(posted.drop.id);
  }
  await fixture.fanOutDone();
});
afterEach(() => fixture[Symbol.asyncDispose]());

describe('C4 a client with only the proto file', () => {
  it('C4 reads a home in pages', async () => {
    const loaded = loadPackageDefinition(
      loadSync('avion/timeline.proto', { includeDirs: [PROTO], keepCase: true, defaults: true }),
    );
    const avion = loaded.avion as unknown as { TimelineService: ServiceClientConstructor };
    const client = new avion.TimelineService(fixture.server.address, credentials.createInsecure());
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${fixture.ann.id}`);
    const ask = (request: object) =>
      new Promise<{ drop_ids: string[]; older_cursor: string }>((resolve, reject) => {
        const method = client.GetHomeTimeline as unknown as (
          ask: object,
          metadata: Metadata,
          done: (error: Error | null, answer: { drop_ids: string[]; older_cursor: string }) => void,
        ) => void;
        method.call(client, request, metadata, (error, answer) =>
          error === null ? resolve(answer) : reject(error),
        );
      });
    const first = await ask({ user_id: fixture.ann.id, limit: 3 });
    const second = await ask({ user_id: fixture.ann.id, limit: 3, max_id: first.older_cursor });
    expect([...first.drop_ids, ...second.drop_ids]).toEqual(drops);
    expect(second.older_cursor).toBe('');
    client.close();
  });

  it('C4 a client without it: reflection describes every service', async () => {
    const { services, files } = await reflect(fixture.server.address);
    expect(services).toEqual(['avion.PostService', 'avion.TimelineService', 'avion.UserService']);
    expect(files).toContain('avion/timeline.proto');
  });
});

requires('python-grpc')('C4 a Python client generated from the proto file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-python-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('C4 posts, reads its home in pages, and handles errors', async () => {
    const protos = readdirSync(join(PROTO, 'avion')).map((file) => `avion/${file}`);
    await run('protoc', [
      `-I${PROTO}`,
      `--python_out=${folder}`,
      `--plugin=protoc-gen-grpc_python=${findProgram('grpc_python_plugin')}`,
      `--grpc_python_out=${folder}`,
      ...protos,
    ]);
    const { ann, ben } = fixture;
    const { stdout } = await run(
      DEBIAN_PYTHON,
      [join(import.meta.dirname, 'proto_only_client.py'), fixture.server.address, ann.id, ann.id],
      { env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }, timeout: 60_000 },
    );
    const output = JSON.parse(stdout) as {
      created: string;
      home: string[];
      following: string[];
      refusals: object;
    };
    const [posted] = await fixture.social.getDrops([output.created]);
    expect(posted).toMatchObject({ userId: ann.id, text: 'こんにちは from Python' });
    // Its own drop may be fanned out a moment later.
    expect(output.home.filter((id) => id !== output.created)).toEqual(drops);
    expect(output.following).toEqual([ben.id]);
    expect(output.refusals).toEqual({
      'too many': ['INVALID_ARGUMENT', 'limit: must be a whole number from 1 to 100'],
      without_token: ['UNAUTHENTICATED', expect.any(String)],
      another: ['PERMISSION_DENIED', expect.any(String)],
    });
  });
});

/** Lists a server's services by reflection, as grpcurl does. */
async function reflect(address: string): Promise<{ services: string[]; files: string[] }> {
  const { ServerReflectionService } = await import('nice-grpc-server-reflection');
  const { createChannel, createClient } = await import('nice-grpc');
  const { default: pb } = await import(
    'nice-grpc-server-reflection/lib/proto/grpc/reflection/v1/reflection_pb.js' as string
  );
  const channel = createChannel(address);
  const client = createClient(ServerReflectionService, channel);
  const list = new pb.ServerReflectionRequest();
  list.setListServices('');
  const symbol = new pb.ServerReflectionRequest();
  symbol.setFileContainingSymbol('avion.TimelineService');
  const services: string[] = [];
  const files: string[] = [];
  const answers = client.serverReflectionInfo(
    (async function* () {
      yield list;
      yield symbol;
    })(),
  );
  for await (const answer of answers) {
    for (const service of answer.getListServicesResponse()?.getServiceList() ?? [])
      services.push(service.getName());
    for (const file of answer.getFileDescriptorResponse()?.getFileDescriptorProtoList_asU8() ?? [])
      files.push(
        Buffer.from(file)
          .toString('latin1')
          .match(/avion\/\w+\.proto/)?.[0] ?? '',
      );
  }
  channel.close();
  return { services: services.toSorted(), files };
}
