import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFrontDoor } from '@fairtick/kit/processes/haproxy.ts';
import { expect, test } from 'vitest';

async function listening(received: IncomingMessage[]): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/healthz') received.push(request);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('the balancer replaces a client’s request number with its own', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'balancer-'));
  const received: IncomingMessage[] = [];
  const servers = [await listening(received), await listening(received)];
  const door = await openFrontDoor(
    dir,
    servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    { needsBounds: true },
  );
  try {
    const own = '5f0c9f0e-9d57-4b0c-8a3e-2f1f6f2a7c11';
    await fetch(`${door.origin}/api/x`, { headers: { 'x-request-id': own } });
    expect(received).toHaveLength(1);
    const number = received[0]?.headers['x-request-id'];
    expect(number).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(number).not.toBe(own);
  } finally {
    await door.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(dir, { recursive: true });
  }
});
