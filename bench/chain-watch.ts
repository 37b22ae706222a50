import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsOf } from '@fairtick/kit/chains/anvil.ts';
import { FAKE_TOKEN } from '@fairtick/kit/chains/fake-chain.ts';
import { pino } from 'pino';
import { deriveAddress } from '../apps/server/src/money/chains/chain-addresses.ts';
import { ChainWatcher } from '../apps/server/src/money/chains/chain-watcher.ts';
import { EvmSource } from '../apps/server/src/money/chains/evm-source.ts';
import { Assets } from '../apps/server/src/platform/assets.ts';
import { createPool } from '../apps/server/src/platform/db/database.ts';
import { openInstallation } from './kit/installation.ts';
import { familyCpuMs } from './kit/measure.ts';
import { sized } from './kit/size.ts';

/**
 * The processor's time of watching a chain with 10 000 addresses at the pace of an L2, 50 blocks a second with a payment in every
 * tenth, beside a bare loop of `fetch` that makes the same calls and parses the answers. The node is a process of its own.
 *   npm run bench -- chain-watch [SECONDS]
 */
const SECONDS = Number(process.argv[2] ?? sized(60, 5));
const ADDRESSES = sized(10_000, 100);
const BLOCKS_A_SECOND = 50;
const BLOCKS_A_PAYMENT = 10;
/** Blocks below the newest that are not final: two minutes. */
const NOT_FINAL = 6_000;
const MINT = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Answers as a node whose newest block follows from the clock, and prints its address. */
async function runNode(): Promise<void> {
  const begunMs = Date.now();
  const head = () => NOT_FINAL + Math.floor(((Date.now() - begunMs) * BLOCKS_A_SECOND) / 1_000);
  const hex = (value: number) => `0x${value.toString(16)}`;
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
  const block = (number: number) => ({
    number: hex(number),
    hash: word(number + 1),
    parentHash: word(number),
    timestamp: hex(1_790_000_000 + Math.floor(number / BLOCKS_A_SECOND)),
    ...{ transactions: [], uncles: [], gasLimit: '0x1', gasUsed: '0x1', logsBloom: `0x${'00'.repeat(256)}` },
  });
  const blockAt = (which: string) => {
    const at = { latest: head(), finalized: head() - NOT_FINAL }[which] ?? Number(which);
    return at > head() ? null : block(at);
  };
  const logs = (filter: { fromBlock: string; toBlock: string; topics: [string, null, string[]] }) => {
    const found: unknown[] = [];
    const [, , to] = filter.topics;
    for (let at = Number(filter.fromBlock); at <= Number(filter.toBlock); at += 1)
      if (
        at % BLOCKS_A_PAYMENT === 0 &&
        Math.floor(at / BLOCKS_A_PAYMENT) % Math.ceil(ADDRESSES / 1_000) === 0
      )
        found.push({
          ...{ address: FAKE_TOKEN, topics: [MINT, word(1), to[at % to.length]], data: word(25_000_000) },
          ...{
            blockNumber: hex(at),
            blockHash: word(at + 1),
            transactionHash: word(at + 1),
            logIndex: '0x0',
          },
          removed: false,
        });
    return found;
  };
  const answer = (method: string, params: [never]): unknown => {
    if (method === 'eth_chainId') return '0x7a69';
    if (method === 'eth_getBlockByNumber') return blockAt(params[0]);
    // No balance of a former block.
    return method === 'eth_getLogs' ? logs(params[0]) : '0x';
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(JSON.stringify(server.address()));
}

async function measure(): Promise<void> {
  const node = spawn(process.execPath, [import.meta.filename, 'node'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const installation = await openInstallation();
  const db = createPool(installation.address.chain ?? {}, { max: 3, name: 'bench' });
  try {
    const [line] = (await once(node.stdout, 'data')) as [Buffer];
    const url = `http://127.0.0.1:${JSON.parse(line.toString()).port}`;
    const chain = settingsOf({ url, token: FAKE_TOKEN }, { pollMs: 2_000 });
    await makeAddresses(installation.owner, (number) => deriveAddress(chain, number));
    const watcher = new ChainWatcher({
      ...{ chain, db, assets: await Assets.load(db), source: new EvmSource(chain), second: null },
      log: pino({ level: 'silent' }),
    });
    await watcher.round();
    await watcher.round();
    const calls = recordCalls();
    const databaseMs = familyCpuMs(installation.postmaster);
    const ours = await cpuOf(async () => {
      const endMs = Date.now() + SECONDS * 1_000;
      while (Date.now() < endMs) {
        await watcher.round();
        await sleep(chain.pollMs);
      }
    });
    const inDatabase = (familyCpuMs(installation.postmaster) - databaseMs) / (SECONDS * 1_000);
    const bodies = calls.stop();
    const bare = await cpuOf(async () => {
      for (const body of bodies) {
        const headers = { 'content-type': 'application/json' };
        await (await fetch(url, { method: 'POST', headers, body })).json();
      }
    });
    await print(installation.owner, {
      ours: ours / SECONDS,
      bare: bare / SECONDS,
      inDatabase,
      calls: bodies.length,
    });
  } finally {
    node.kill();
    await db.end();
    await installation.close();
  }
}

async function print(
  owner: Queryable,
  { ours, bare, inDatabase, calls }: { ours: number; bare: number; inDatabase: number; calls: number },
): Promise<void> {
  const { rows } = await owner.query(
    'select head::float8 as head, final::float8 as final, (select count(*)::int from chain_deposits) as seen from chain_heads',
  );
  const { head, final, seen } = rows[0];
  // Reads each block, and finds each payment: else the figures say nothing.
  if (head < NOT_FINAL + SECONDS * BLOCKS_A_SECOND * 0.8 || final <= 0 || seen === 0)
    throw new Error(`it read up to ${head}, final to ${final}, and found ${seen} payments`);
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  console.log(
    `watcher    ${percent(ours)} of a core, and ${percent(inDatabase)} in the database; ${seen} payments`,
  );
  console.log(`bare loop  ${percent(bare)} of a core, ${calls} calls in ${SECONDS} s`);
  console.log(`ratio      ${(ours / bare).toFixed(2)} × the bare loop's time`);
}

type Queryable = Awaited<ReturnType<typeof openInstallation>>['owner'];

/** Customers with an address each. */
async function makeAddresses(owner: Queryable, derive: (number: number) => string): Promise<void> {
  await owner.query(
    `with made as (
       insert into customers (account, nickname, password_hash) select 'bench' || i, 'bench', '' from generate_series(1, $1::int) i
       returning id
     ) insert into chain_customers (customer_id) select id from made`,
    [ADDRESSES],
  );
  await owner.query(`select ledger.open_balances(customer_id) from chain_customers`);
  const numbers = Array.from({ length: ADDRESSES }, (_, at) => at + 1);
  await owner.query(
    `insert into chain_addresses (chain, number, address) select 'ethereum', * from unnest($1::int[], $2::text[])`,
    [numbers, numbers.map(derive)],
  );
}

/** Keeps the bodies of all requests of this process from now on. */
function recordCalls() {
  const bodies: string[] = [];
  const { fetch: real } = globalThis;
  globalThis.fetch = (input, init) => {
    bodies.push(String(init?.body));
    return real(input, init);
  };
  return {
    stop: () => {
      globalThis.fetch = real;
      return bodies;
    },
  };
}

/** The processor's time (s) that this process takes for some work. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

if (process.argv[2] === 'node') await runNode();
else await measure();
