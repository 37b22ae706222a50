import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Balancer } from '../../apps/server/test/balancer.ts';
import { freePort } from '../../apps/server/test/running-api.ts';

/** What stands before the API processes. */
export interface FrontDoor {
  readonly name: string;
  readonly origin: string;
  close(): Promise<void>;
}

/** HAProxy where it is installed, and a balancer of our own otherwise. */
export async function openFrontDoor(dir: string, origins: readonly string[]): Promise<FrontDoor> {
  if (spawnSync('haproxy', ['-v']).status === 0) return startHaproxy(dir, origins);
  const balancer = await Balancer.open(origins);
  return { name: 'a balancer of our own', origin: balancer.origin, close: () => balancer.close() };
}

async function startHaproxy(dir: string, origins: readonly string[]): Promise<FrontDoor> {
  const port = await freePort();
  const file = join(dir, 'haproxy.cfg');
  const servers = origins.map(
    (origin, place) => `  server api${place} ${new URL(origin).host} check inter 500 fall 1 rise 1`,
  );
  writeFileSync(
    file,
    `global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  option redispatch
  retries 2
frontend house
  bind 127.0.0.1:${port}
  default_backend apis
backend apis
  balance roundrobin
  option httpchk GET /readyz
${servers.join('\n')}
`,
  );
  const child = spawn('haproxy', ['-q', '-db', '-f', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const origin = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${origin}/healthz`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}`);
    await sleep(50);
  }
  return {
    name: 'HAProxy',
    origin,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
