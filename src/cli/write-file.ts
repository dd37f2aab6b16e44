import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EXIT } from './exit-codes.ts';
import { RefusalError } from './refusal.ts';

/**
 * Writes a whole file or nothing: into a file beside it first, then moved into place. Without `replace`, a file that
 * is there already stays as it is and the command is refused.
 */
export async function writeWhole(
  path: string,
  content: string,
  options: { readonly replace?: boolean } = {},
): Promise<void> {
  const part = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  try {
    const file = await open(part, 'wx', 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    if (options.replace === true) await rename(part, path);
    else await link(part, path);
  } catch (error) {
    throw writingRefusal(error, path);
  } finally {
    await rm(part, { force: true });
  }
}

/** The same trouble as a sentence about the file that was to be written. */
export function writingRefusal(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  const cannot = (sentence: string): RefusalError =>
    new RefusalError(sentence, EXIT.cannotWrite, { cause: error });
  switch (code) {
    case 'EEXIST':
      return cannot(`${path} is there already, and was left as it is`);
    case 'ENOENT':
      return cannot(`${path} cannot be written: the folder ${dirname(path)} does not exist`);
    case 'ENOTDIR':
      return cannot(`${path} cannot be written: ${dirname(path)} is not a folder`);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return cannot(`${path} cannot be written: this user may not write in ${dirname(path)}`);
    case 'EISDIR':
      return cannot(`${path} cannot be written: it is a folder`);
    case 'ENOSPC':
    case 'EDQUOT':
      return new RefusalError(`${path} cannot be written: the disk is full`, EXIT.diskFull, { cause: error });
    default:
      return error;
  }
}
