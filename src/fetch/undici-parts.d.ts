// The parts of undici that are used. Its index loads its fetch, cache and test clients too: twice the time and memory.
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
declare module 'undici/lib/core/connect.js' {
  export { buildConnector as default } from 'undici';
}
