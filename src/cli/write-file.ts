import { randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EXIT } from './exit-codes.ts';
import { RefusalError } from './refusal.ts';

export interface WriteOptions {
  /** Without it, a file that is there already stays as it is and the command is refused. */
  readonly replace?: boolean;
  /** Permissions of a new file. */
  readonly mode?: number;
}

/** Writes a whole file or nothing. */
export function writeWhole(path: string, content: string, options: WriteOptions = {}): Promise<void> {
  return writeBeside(path, options, (file) => file.writeFile(content));
}

/** The same for more lines than fit into memory. */
export function writeLines(
  path: string,
  lines: AsyncIterable<string>,
  options: WriteOptions = {},
): Promise<void> {
  return writeBeside(path, options, async (file) => {
    for await (const line of lines) await file.write(`${line}\n`);
  });
}

/** Into a file beside it first, which is moved into place when all of it is on the disk. */
async function writeBeside(
  path: string,
  { replace = false, mode = 0o644 }: WriteOptions,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const part = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  try {
    const file = await open(part, 'wx', mode);
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    if (replace) await rename(part, path);
    else await link(part, path);
  } catch (error) {
    throw refusal(error, path);
  } finally {
    await rm(part, { force: true });
  }
}

function refusal(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  const cannot = (sentence: string): RefusalError =>
    new RefusalError(`${path} ${sentence}`, EXIT.cannotWrite, { cause: error });
  switch (code) {
    case 'EEXIST':
      return cannot('is there already, and was left as it is');
    case 'ENOENT':
      return cannot(`cannot be written: the folder ${dirname(path)} does not exist`);
    case 'ENOTDIR':
      return cannot(`cannot be written: ${dirname(path)} is not a folder`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return cannot(`cannot be written: this user may not write in ${dirname(path)}`);
    case 'EISDIR':
      return cannot('cannot be written: it is a folder');
    case 'ENOSPC':
    case 'EDQUOT':
      return new RefusalError(`${path} cannot be written: the disk is full`, EXIT.diskFull, { cause: error });
    default:
      return error;
  }
}
