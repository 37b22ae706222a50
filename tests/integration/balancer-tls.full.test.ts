import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { ensurePackages } from '@fairtick/kit/processes/debian-postgres.ts';
import { freePort } from '@fairtick/kit/processes/processes.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { expect, onTestFinished, test } from 'vitest';

/** The balancer of `ops/`, as docs/OPERATIONS.md, "A new house", sets it: one process, https for customers and staff. */
const folder = temporaryFolder('balancer-tls');

async function serve(name: string): Promise<string> {
  const server = createServer((_, response) => response.end(name)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The certificates of both names, each in one file with its key. */
function makeCertificates(): string {
  const certificates = join(folder, 'certificates');
  mkdirSync(certificates);
  for (const name of ['trade.example', 'office.trade.example']) {
    const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
    const of = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
    const made = spawnSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-keyout',
        key,
        '-out',
        certificate,
        ...of,
      ],
      { encoding: 'utf8' },
    );
    expect(made.status, made.stderr).toBe(0);
    writeFileSync(
      join(certificates, `${name}.pem`),
      readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'),
    );
  }
  return certificates;
}

test('with settings alone, one process is served over https at its address, its office at another, and an authority’s checks are answered', async () => {
  ensurePackages('/usr/sbin/haproxy', 'haproxy');
  const [secure, plain, customersHere, officeHere, office] = await Promise.all(
    Array.from({ length: 5 }, freePort),
  );
  const certificates = makeCertificates();
  let config = readFileSync(join(import.meta.dirname, '../../ops/haproxy.cfg'), 'utf8').replaceAll(
    '20000',
    '500',
  );
  // What only this machine reaches has fixed ports.
  for (const [shipped, port] of [
    ['8080', customersHere],
    ['8081', officeHere],
  ])
    config = config.replace(`bind 127.0.0.1:${shipped}\n`, `bind 127.0.0.1:${port}\n`);
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, config);
  const child = spawn('/usr/sbin/haproxy', ['-q', '-db', '-f', file], {
    stdio: 'ignore',
    env: {
      API_1: await serve('customers'),
      OFFICE_1: await serve('office'),
      OFFICE_ADDRESS: `127.0.0.1:${office}`,
      CERTIFICATES: certificates,
      CUSTOMERS_ADDRESS: `127.0.0.1:${secure}`,
      PLAIN_ADDRESS: `127.0.0.1:${plain}`,
      ACME: await serve('acme'),
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers = (port: number | undefined) => fetch(`http://127.0.0.1:${port}/`).catch(() => null);
  await until(
    async () => (await answers(customersHere))?.ok === true && (await answers(officeHere))?.ok === true,
  );

  const secured = async (name: string, port: number | undefined) => {
    const call = request({
      host: '127.0.0.1',
      port,
      servername: name,
      ca: readFileSync(join(folder, `${name}.crt`)),
    });
    const [answer] = await once(call.end(), 'response');
    return text(answer);
  };
  expect(await secured('trade.example', secure)).toBe('customers');
  expect(await secured('office.trade.example', office)).toBe('office');
  const moved = await fetch(`http://127.0.0.1:${plain}/trade`, { redirect: 'manual' });
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `https://127.0.0.1:${plain}/trade`]);
  const asked = await fetch(`http://127.0.0.1:${plain}/.well-known/acme-challenge/token`);
  expect(await asked.text()).toBe('acme');
}, 30_000);
