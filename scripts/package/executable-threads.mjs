// Preloaded into the single executable. Node mounts the embedded files in the main thread only; this mounts them in each further
// thread, at the same path, and copies a file out of the executable when it is first looked at.
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) {
  const { dirname } = (await import('node:path')).posix;
  const { getAsset, getAssetKeys } = await import('node:sea');
  const { create, MemoryProvider } = await import('node:vfs');

  class EmbeddedFiles extends MemoryProvider {
    #unread = new Set(getAssetKeys());

    constructor() {
      super();
      // Packages are found by their folder.
      for (const folder of new Set([...this.#unread].map((key) => dirname(`/${key}`))))
        this.mkdirSync(folder, { recursive: true });
    }

    #read(path) {
      const key = path.slice(1);
      if (this.#unread.delete(key)) this.writeFileSync(path, Buffer.from(getAsset(key)));
    }
    open(path, ...rest) {
      this.#read(path);
      return super.open(path, ...rest);
    }
    openSync(path, ...rest) {
      this.#read(path);
      return super.openSync(path, ...rest);
    }
    stat(path, ...rest) {
      this.#read(path);
      return super.stat(path, ...rest);
    }
    statSync(path, ...rest) {
      this.#read(path);
      return super.statSync(path, ...rest);
    }
  }
  create(new EmbeddedFiles()).mount();

  // The isolated process: Node lets a thread read the working directory, as if that were its module, and a further thread could be
  // started without any permissions.
  process.permission?.drop('fs.read', process.cwd());
  process.permission?.drop('worker');
}
