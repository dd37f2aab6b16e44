import { hostAndPort, secret } from './address.ts';
import { section } from './section.ts';
import { list, text, toggle } from './values.ts';

/** One Redis server, or a Redis Cluster. */
export const redis = section({
  nodes: list(hostAndPort('the address of a Redis server'), 'Redis servers', 1, 100)
    .prefault(['localhost:6379'])
    .describe('Addresses of Redis: one server, or some nodes of a cluster.'),
  cluster: toggle().default(false).describe('The nodes form a Redis Cluster.'),
  tls: toggle().default(false).describe('Speak TLS with Redis.'),
  username: text('a user name', 1, 200).exactOptional().describe('User name at Redis.'),
  password: secret('the password').exactOptional().describe('Password at Redis.'),
  prefix: text('a prefix for keys', 0, 100)
    .prefault('')
    .describe('Put before every key; empty keeps the names of the contracts.'),
});
