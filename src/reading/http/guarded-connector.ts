import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.ts';

/** Every address behind a name. Rejects with the system's error code (`ENOTFOUND`, `EAI_AGAIN`, …). */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The address behind a host is out of bounds. Nothing was sent. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  readonly code = 'BLOCKED_ADDRESS';
}

export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

/** No host needs more tries than this; a name with a hundred addresses is a trick. */
const MOST_ADDRESSES = 4;
/** While there is another address to try. */
const IMPATIENT_MS = 2000;

/**
 * Opens connections to checked addresses only. The name is resolved here, once; each address is checked; and the
 * connection goes to the very address that was checked, so a name that answers differently the next time gains
 * nothing. Literals pass the same check, because they never meet a resolver.
 */
export function guardedConnector(
  policy: AddressPolicy,
  resolve: Resolve,
  connectMs: number,
): buildConnector.connector {
  const patient = buildConnector({ timeout: connectMs, allowH2: false });
  const impatient = buildConnector({ timeout: Math.min(connectMs, IMPATIENT_MS), allowH2: false });

  return (options, callback) => {
    const host = options.hostname.startsWith('[') ? options.hostname.slice(1, -1) : options.hostname;
    const port = options.port === '' ? (options.protocol === 'https:' ? 443 : 80) : Number(options.port);
    const named = isIP(host) === 0;

    const attempt = ([address, ...others]: readonly string[]): void => {
      if (address === undefined) return;
      const last = others.length === 0;
      const connect = last ? patient : impatient;
      // The name stays for the certificate; the address is where the packets go.
      const servername =
        options.protocol === 'https:' && named ? { servername: host.replace(/\.$/, '') } : {};
      connect({ ...options, ...servername, hostname: address }, (error, socket) => {
        if (error) return last ? callback(error, null) : attempt(others);
        // No address means that the other side has hung up already, which the request will find out.
        const reached = socket.remoteAddress;
        const objection = reached === undefined ? null : policy.objection(reached, host, port);
        if (objection === null) return callback(null, socket);
        socket.destroy();
        callback(new BlockedAddressError(objection), null);
      });
    };

    addressesOf(host, resolve).then(
      (addresses) => {
        const permitted = addresses.filter((address) => policy.objection(address, host, port) === null);
        if (permitted.length > 0) return attempt(permitted.slice(0, MOST_ADDRESSES));
        const objection = addresses[0] === undefined ? null : policy.objection(addresses[0], host, port);
        callback(new BlockedAddressError(objection ?? `${host} has no address`), null);
      },
      (error: unknown) =>
        callback(error instanceof Error ? error : new Error('name resolution failed'), null),
    );
  };
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // By its definition this name never leaves the machine, whatever a resolver says.
  if (/(^|\.)localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  return resolve(host);
}
