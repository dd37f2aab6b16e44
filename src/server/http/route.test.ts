import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { collectRoutes, methodsAt } from './route.ts';

it('X25 a route that does not declare who may call it cannot be registered', () => {
  const server = Fastify();
  const routes = collectRoutes(server);
  expect(() => server.get('/secrets', async () => 'all of them')).toThrow(
    'Route GET /secrets does not declare its access.',
  );
  server.get('/plain', { config: { access: 'person' } }, async () => 'one');
  expect(routes.map(({ method, url, access }) => `${method} ${url} ${access}`)).toEqual([
    'GET /plain person',
    'HEAD /plain person',
  ]);
});

it('lists the methods of a path in every spelling', () => {
  const server = Fastify();
  const routes = collectRoutes(server);
  server.post('/a/:id', { config: { access: 'open' } }, async () => 'one');
  for (const target of ['/a/x', '/%61/x?y', 'http://host/a/x'])
    expect(methodsAt(routes, target)).toEqual(['POST']);
  for (const target of ['/b', '//a/x', '/%zz']) expect(methodsAt(routes, target)).toEqual([]);
});
