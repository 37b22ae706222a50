import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { anvilAt, settingsOf, spawnAnvil } from '@fairtick/kit/chains/anvil.ts';
import { until } from '@fairtick/kit/waiting/until.ts';
import { parseAmount } from '@fairtick/money';
import { ownershipText } from '@fairtick/proof';
import { formatUnits, isAddress, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

/**
 * `npm run demo-chain`: a chain of one's own (anvil) with a test USDT, and the app that watches it and pays from it. In another
 * terminal, `-- pay ADDRESS AMOUNT` sends some and `-- balance ADDRESS` tells what an address has. Nothing on this chain has a value.
 */
const ROOT = join(import.meta.dirname, '..');
const FOLDER = resolve(process.env.DATA_DIR || './data', 'demo-chain');
const STATE = join(FOLDER, 'state.json');
const FILE = join(FOLDER, 'chains.json');
/** The key of the address that pays. The app never reads it: `npm run payout-sign` does. */
const KEY = join(FOLDER, 'hot.key');
const PORT = process.env.CHAIN_PORT || '8545';
const DECIMALS = 6;
/** What the house can pay. */
const FUNDS = '100000';
const anvil = anvilAt(`http://127.0.0.1:${PORT}`);

const HOW = `
  As demo_user (Demo-1234), open Deposit, choose USDT and ERC20, and copy the address. In another terminal:
    npm run demo-chain -- pay ADDRESS 25
  The office's page "Payouts on chains" pays withdrawals to such a chain's addresses. Sign its file with
    npm run payout-sign -- payouts-NUMBER.json --key ${KEY}
`;

const [command, to = '', amount = '25'] = process.argv.slice(2);
process.exitCode = command === undefined ? await run() : await atNode();

/** What the second terminal asks of the chain. */
async function atNode(): Promise<number> {
  const value = parseAmount(amount, DECIMALS);
  if (!isAddress(to) || value === null || !['pay', 'balance'].includes(command ?? ''))
    return fail('npm run demo-chain -- pay ADDRESS [AMOUNT], or -- balance ADDRESS');
  if (!existsSync(FILE) || !(await anvil.answers()))
    return fail('start npm run demo-chain in another terminal first');
  const [{ tokens }] = JSON.parse(readFileSync(FILE, 'utf8'));
  const { contract } = tokens[0];
  if (command === 'pay') console.log(`sent ${amount} USDT: ${await anvil.pay(contract, to, value)}`);
  else console.log(`${formatUnits(await anvil.balanceOf(contract, to), DECIMALS)} USDT`);
  return 0;
}

async function run(): Promise<number> {
  if (await anvil.answers()) return fail(`a node listens at the port ${PORT} already: set CHAIN_PORT`);
  mkdirSync(FOLDER, { recursive: true });
  // A block every 2 s; it is final 20 blocks later, so that confirmations, credit and finality can be watched in a minute.
  const pace = ['--block-time', '2', '--slots-in-an-epoch', '10'];
  const known = existsSync(STATE) && existsSync(FILE) ? readFileSync(FILE, 'utf8') : null;
  const node = spawnAnvil(['--port', PORT, ...pace, '--state', STATE, '--state-interval', '10']);
  await until(anvil.answers);
  if (known === null) await begin();
  const app = spawn(join(ROOT, 'scripts/node'), [join(ROOT, 'apps/server/src/commands/start.ts')], {
    stdio: 'inherit',
    env: { ...process.env, CHAINS_FILE: FILE },
  });
  console.log(HOW);
  // Ctrl-C reaches all of them.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.kill(signal));
  const code = await ended(app);
  node.kill('SIGTERM');
  await ended(node);
  return code;
}

/** A new chain, which the app has not seen before. */
async function begin(): Promise<void> {
  const deployed = await anvil.deploy();
  await anvil.node.waitForTransactionReceipt({ hash: deployed });
  const token = await anvil.contractOf(deployed);
  await anvil.mint(token);
  const key = generatePrivateKey();
  const hot = privateKeyToAccount(key);
  writeFileSync(KEY, `${key}\n`, { mode: 0o600 });
  await anvil.node.setBalance({ address: hot.address, value: parseEther('10') });
  await anvil.pay(token, hot.address, parseAmount(FUNDS, DECIMALS) ?? 0n);
  // The name of the public log that the first start gives it.
  const app = process.env.PUBLIC_ORIGIN || `http://localhost:${process.env.PORT || 3000}`;
  const log = `${app.replace(/^https?:\/\//, '')}/api/transparency`;
  const signature = await hot.signMessage({ message: ownershipText(log, hot.address) });
  const { explorer: _none, ...settings } = settingsOf({ url: `http://127.0.0.1:${PORT}`, token });
  const chain = {
    ...settings,
    chain: `demo-${randomBytes(4).toString('hex')}`,
    confirmations: 6,
    pollMs: 1_000,
    own: [{ address: hot.address, signature }],
    payouts: { address: hot.address, gas: 100_000, maxFeeGwei: '20', tipGwei: '1', mostFeeGwei: '60' },
  };
  writeFileSync(FILE, JSON.stringify([chain], null, 2));
}

async function ended(child: ChildProcess): Promise<number> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode ?? 0;
}

function fail(text: string): number {
  console.error(text);
  return 2;
}
