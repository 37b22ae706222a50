import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import {
  createTestClient,
  createWalletClient,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  parseAbiParameters,
  publicActions,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import type { EvmSettings } from '../../../apps/server/src/config/chains-file.ts';
import { forFile } from '../fixtures/fixture.ts';
import { freePort } from '../processes/processes.ts';
import { until } from '../waiting/until.ts';
import type { TestChain } from './any-sequence.ts';
import { XPUB } from './keys.ts';
import { TEST_TOKEN } from './test-token.ts';

/** The phrase whose accounts anvil gives money to. It is public. */
const JUNK = 'test test test test test test test test test test test junk';
const GAS = 100_000n;
const GAS_OF_CONTRACT = 1_000_000n;

export interface Anvil extends TestChain {
  readonly url: string;
  /** Contracts of two tokens: one that a test's settings take, one that they don't. */
  readonly token: Hex;
  readonly other: Hex;
  pay(to: string, value: bigint, token?: Hex): Promise<Hex>;
  /** A token that keeps a share of each transfer, and logs the whole value all the same if it `lies`. */
  feeToken(keptPercent: number, lies: boolean): Promise<Hex>;
  height(): Promise<number>;
  /** Gives coins for fees and a million of the token. */
  fund(address: string): Promise<void>;
  /** Takes all of the token from an address. */
  take(address: string): Promise<void>;
  /** Of the token, in its smallest unit. */
  balanceOf(address: string): Promise<bigint>;
  /** As the node's JSON has it. */
  block(height: number): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** The node's program, which npm installs for this machine. */
export function spawnAnvil(options: readonly string[]): ChildProcess {
  const machine = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const program = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${machine}/bin/anvil`);
  return spawn(program, ['--silent', ...options], { stdio: 'ignore' });
}

/** What a test or a demo does at a node. */
export function anvilAt(url: string) {
  const transport = http(url);
  const node = createTestClient({ chain: foundry, mode: 'anvil', transport }).extend(publicActions);
  const wallet = createWalletClient({ account: mnemonicToAccount(JUNK), chain: foundry, transport });
  const raw = new Map<string, Hex>();
  const send = async (to: Hex | null, data: Hex): Promise<Hex> => {
    const gas = to === null ? GAS_OF_CONTRACT : GAS;
    const request = await wallet.prepareTransactionRequest({ to, data, gas });
    const signed = await wallet.signTransaction(request);
    const txid = await wallet.sendRawTransaction({ serializedTransaction: signed });
    raw.set(txid, signed);
    return txid;
  };
  return {
    node,
    answers: () =>
      node.getChainId().then(
        () => true,
        () => false,
      ),
    deploy: (keptPercent = 0, lies = false) =>
      send(null, encodeDeployData({ ...TEST_TOKEN, args: [BigInt(keptPercent), lies] })),
    /** Makes as much of a token as every test and demo needs, for the account that pays. */
    mint: (token: Hex) =>
      send(
        token,
        encodeFunctionData({
          ...TEST_TOKEN,
          functionName: 'mint',
          args: [wallet.account.address, 10n ** 18n],
        }),
      ),
    pay: (token: Hex, to: Hex, value: bigint) =>
      send(token, encodeFunctionData({ ...TEST_TOKEN, functionName: 'transfer', args: [to, value] })),
    resend: async (txid: string) => {
      await wallet.sendRawTransaction({ serializedTransaction: raw.get(txid) as Hex });
    },
    /** Of a token, in its smallest unit. */
    balanceOf: (token: Hex, address: Hex) =>
      node.readContract({
        abi: TEST_TOKEN.abi,
        address: token,
        functionName: 'balanceOf',
        args: [address],
      }),
    contractOf: async (hash: Hex) => (await node.getTransactionReceipt({ hash })).contractAddress as Hex,
  };
}

/** A node of a chain of this test's own, which makes a block when told. Two blocks make one final. */
export async function startAnvil(): Promise<Anvil> {
  const port = await freePort();
  const child = spawnAnvil(['--port', String(port), '--no-mining', '--slots-in-an-epoch', '1']);
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const url = `http://127.0.0.1:${port}`;
  const anvil = anvilAt(url);
  await until(anvil.answers);
  const mine = (blocks = 1) => anvil.node.mine({ blocks });
  const makeToken = async (keptPercent = 0, lies = false): Promise<Hex> => {
    const hash = await anvil.deploy(keptPercent, lies);
    await mine();
    const token = await anvil.contractOf(hash);
    await anvil.mint(token);
    await mine();
    return token;
  };
  const [token, other] = [await makeToken(), await makeToken()];
  return {
    url,
    token,
    other,
    feeToken: makeToken,
    height: async () => Number(await anvil.node.request({ method: 'eth_blockNumber' } as never)),
    block: (height) =>
      anvil.node.request({
        method: 'eth_getBlockByNumber',
        params: [`0x${height.toString(16)}`, false],
      } as never),
    pay: (to, value, contract = token) => anvil.pay(contract, to as Hex, value),
    fund: async (address) => {
      await anvil.node.setBalance({ address: address as Hex, value: 10n ** 18n });
      await anvil.pay(token, address as Hex, 10n ** 12n);
      await mine();
    },
    // The token's second variable is what each address has.
    take: (address) =>
      anvil.node.setStorageAt({
        address: token,
        index: keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [address as Hex, 1n])),
        value: `0x${'00'.repeat(32)}`,
      }),
    balanceOf: (address) => anvil.balanceOf(token, address as Hex),
    mine,
    reorg: (depth) => anvil.node.request({ method: 'anvil_reorg', params: [depth, []] } as never),
    resend: anvil.resend,
    has: (hash) =>
      anvil.node.getTransactionReceipt({ hash: hash as Hex }).then(
        () => true,
        () => false,
      ),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

export const ownAnvil = (): Anvil => forFile(startAnvil, (anvil) => anvil.stop());

/** Settings of this chain, as CHAINS_FILE has them. */
export const settingsOf = (
  anvil: { url: string; token: string },
  changes: Partial<EvmSettings> = {},
): EvmSettings => ({
  chain: 'ethereum',
  kind: 'evm',
  chainId: foundry.id,
  network: 'ERC20',
  rpc: anvil.url,
  xpub: XPUB,
  confirmations: 3,
  explorer: 'https://explorer.example/tx/{txid}',
  tokens: [{ asset: 'USDT', contract: anvil.token, decimals: 6 }],
  own: [],
  pollMs: 200,
  mostBlocks: 1_000,
  ...changes,
});
