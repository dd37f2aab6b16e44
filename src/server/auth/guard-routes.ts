import { BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { plainAddress } from '../frame/client-address.ts';
import { ProblemError } from '../problem.ts';
import { personOf, personWith, requireOwner } from './guards.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** An owner, or a request from a network of operators. */
    isOperator(): boolean;
  }
}

export interface GuardOptions {
  /** Whether guests may read what is public. */
  readonly guests: boolean;
  /** IP addresses or ranges whose requests count as those of an operator. */
  readonly operatorNetworks: readonly string[];
}

/** Decides who may call a route by what the router matched (X25). After `installAuth`: it needs to know who asks. */
export function guardRoutes(server: FastifyInstance, { guests, operatorNetworks }: GuardOptions): void {
  const operators = blockListOf(operatorNetworks);
  server.decorateRequest('isOperator', function (this: FastifyRequest) {
    return this.identity?.role === 'owner' || isFromOperator(this, operators);
  });
  server.addHook('onRequest', async (request) => {
    if (request.is404) return;
    const { access, scope = 'read' } = request.routeOptions.config;
    switch (access) {
      case 'open':
        return;
      case 'everybody':
        // A guest may read here; a token that may not read is refused all the same.
        if (request.identity !== null || !guests) personWith(request, scope);
        return;
      case 'person':
        personWith(request, scope);
        return;
      case 'owner':
        requireOwner(request);
        return;
      case 'operator':
        if (!request.isOperator()) refuse(request);
        return;
      case undefined:
        throw new Error(`Route ${request.routeOptions.url} does not declare its access.`);
    }
  });
}

/** A client behind a proxy is not on the proxy's network, whatever address the proxy has. */
function isFromOperator({ headers, socket }: FastifyRequest, operators: BlockList): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  const address = plainAddress(socket.remoteAddress ?? '');
  return isIP(address) !== 0 && operators.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function refuse(request: FastifyRequest): never {
  personOf(request);
  throw new ProblemError({
    status: 403,
    title: 'Only for monitoring',
    detail: 'This is for the owner and for the networks that telemetry.metrics_from lists.',
  });
}

function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
