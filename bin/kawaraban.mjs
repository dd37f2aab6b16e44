#!/usr/bin/env node
// The version is checked before anything newer than this file is loaded, so that an old Node says one clear line
// instead of a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `kawaraban needs Node 22.18 or newer, and this is ${process.versions.node}: use "npm start" or "npx kawaraban" inside the project, which bring their own Node 24, or install Node 24.\n`,
  );
  process.exit(78);
}
await import('../src/cli/main.ts');
