import { anySequence } from '@fairtick/kit/chains/any-sequence.ts';
import { FakeChain } from '@fairtick/kit/chains/fake-chain.ts';
import { coreSettings, fakeCore } from '@fairtick/kit/chains/fake-core.ts';
import { fakeTron, TRON_USDT, tronSettings } from '@fairtick/kit/chains/fake-tron.ts';
import { newDepositor, watcherOf } from '@fairtick/kit/chains/watching.ts';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { submitWithdrawal, usdt } from '@fairtick/kit/people/money.ts';
import { sized } from '@fairtick/kit/size.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ChainSettings } from '../../config/chains-file.ts';
import { readChannels } from '../deposits/channels.ts';
import { satoshis } from './bitcoin-source.ts';
import { readChainDeposits } from './chain-deposits.ts';
import { chainSource } from './chain-sources.ts';
import type { ChainWatcher } from './chain-watcher.ts';

/** Deposits on Bitcoin and TRON. Both nodes are fakes over HTTP; chain-deposits.full.test.ts has a real one of Ethereum's kind. */
const db = auditedDatabase();
let blocks: FakeChain;
const core = fakeCore(() => blocks);
let otherBlocks: FakeChain;
const other = fakeCore(() => otherBlocks);
const tron = fakeTron(() => blocks);
const explorer = 'https://explorer.example/tx/{txid}';
let chains = 0;

describe.each([
  {
    ...{ kind: 'Bitcoin', node: core, contract: '', asset: 'BTC', address: /^bc1q[a-z0-9]{38}$/ },
    ...{ value: 12_345_678n, amount: '0.12345678', network: 'Bitcoin', first: 'getblockhash' },
    settings: (): ChainSettings => coreSettings(core, { chain: `bitcoin-${chains}`, explorer }),
  },
  {
    ...{
      kind: 'TRON',
      node: tron,
      contract: TRON_USDT,
      asset: 'USDT',
      address: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
    },
    ...{ value: 12_345_678n, amount: '12.345678', network: 'TRC20', first: 'getblock' },
    settings: (): ChainSettings => tronSettings(tron, { chain: `tron-${chains}`, explorer }),
  },
])('on $kind', ({ node, contract, asset, address, value, amount, network, first, settings }) => {
  let own: ChainSettings;
  let watcher: ChainWatcher;
  const watch = (changes: Partial<ChainSettings> = {}) => {
    const chain = { ...own, ...changes } as ChainSettings;
    return watcherOf(db, chain, chainSource(chain));
  };

  beforeEach(async () => {
    node.behave(null);
    chains += 1;
    blocks = new FakeChain();
    own = settings();
    watcher = await watch();
    await blocks.mine(10);
    await watcher.round();
  });

  const pay = (to: string, units = value) => blocks.pay(to, units, contract);
  const mined = async (count = 1) => {
    await blocks.mine(count);
    await watcher.round();
  };
  const available = async (id: string): Promise<bigint> => {
    const { rows } = await db.owner.query(
      `select b.available from ledger.balances b join ledger.assets a on a.id = b.asset_id where b.owner_id = $1 and a.code = $2`,
      [id, asset],
    );
    return BigInt(rows[0].available);
  };
  const seenBy = async (id: string) =>
    (await readChainDeposits(db.server, [own], { customerId: id })).items.map(({ state, confirmations }) => [
      state,
      confirmations,
    ]);

  test('a customer’s own address is shown for the network, and what comes there is confirmed, credited and final', async () => {
    const ann = await newDepositor(db, own);
    const shown = (await readChannels(db.server, [own], ann.id)).find((one) => one.network === network);
    expect(shown).toMatchObject({ asset, address: ann.to, qr: ann.to, confirmations: 2, isDemo: false });
    expect(ann.to).toMatch(address);
    const txid = (await pay(ann.to)).slice(2);
    await mined();
    expect(await seenBy(ann.id)).toEqual([['confirming', 1]]);
    expect(await available(ann.id)).toBe(0n);
    await mined();
    expect(await seenBy(ann.id)).toEqual([['credited', 2]]);
    expect(await available(ann.id)).toBe(value);
    const { items } = await readChainDeposits(db.server, [own], { customerId: ann.id });
    const link = `https://explorer.example/tx/${txid}`;
    expect(items[0]).toMatchObject({ asset, amount, txid, link, needed: 2, network, owed: null });
    if (asset === 'USDT')
      expect((await submitWithdrawal(db, ann, usdt(11))).refused).toBe('DEPOSIT_NOT_FINAL');
    await mined(4);
    expect((await seenBy(ann.id))[0]?.[0]).toBe('final');
    if (asset === 'USDT') expect((await submitWithdrawal(db, ann, usdt(11))).refused).toBe(null);
  });

  test('a replaced block takes back its payment, before the credit and after it, and another block brings it again', async () => {
    const ann = await newDepositor(db, own);
    const txid = await pay(ann.to);
    await mined();
    await blocks.reorg(1);
    await watcher.round();
    expect((await seenBy(ann.id))[0]?.[0]).toBe('reverted');
    await blocks.resend(txid);
    await mined(2);
    expect(await available(ann.id)).toBe(value);
    await blocks.reorg(2);
    await watcher.round();
    expect(await available(ann.id)).toBe(0n);
    expect((await seenBy(ann.id))[0]?.[0]).toBe('reverted');
    await blocks.resend(txid);
    await mined(2);
    expect(await available(ann.id)).toBe(value);
    expect(await seenBy(ann.id)).toEqual([['credited', 2]]);
  });

  test('a node of another chain, or one that contradicts final blocks, is not read', async () => {
    node.behave(async (method, _params, truth) => {
      if (method !== first) return null;
      const block = await truth();
      return {
        result:
          typeof block === 'string' ? 'ab'.repeat(32) : { ...block, blockID: `${'0'.repeat(56)}cd8690dc` },
      };
    });
    await expect((await watch()).round()).rejects.toThrow(/^the node is (not )?of /);
    node.behave(null);
    const ann = await newDepositor(db, own);
    await pay(ann.to);
    await mined(8);
    blocks = new FakeChain();
    await blocks.mine(30);
    await blocks.reorg(30);
    await expect(watcher.round()).rejects.toThrow('contradicts the final blocks');
    expect(await available(ann.id)).toBe(value);
  });

  test('a node that lags, dies or refuses at any point delays the credit and loses nothing', async () => {
    const ann = await newDepositor(db, own);
    const behind = blocks;
    await pay(ann.to);
    await blocks.mine(3);
    for (const answer of [
      { isCut: true },
      { status: 503 },
      { status: 429 },
      { error: { code: -28, message: 'busy' } },
    ] as const)
      for (let spared = 0; spared < 6; spared += 1) {
        let asked = 0;
        node.behave(async () => {
          asked += 1;
          return asked > spared ? answer : null;
        });
        await watcher.round().catch(() => {});
        expect(asked).toBeLessThan(60);
      }
    node.behave(null);
    // Another node, which has not got the newest blocks yet.
    blocks = new FakeChain();
    for (const { sent: _none } of behind.blocks().slice(1, 9)) await blocks.mine();
    await watcher.round().catch(() => {});
    blocks = behind;
    await watcher.round();
    expect(await available(ann.id)).toBe(value);
  });

  test('what is credited is what the chain has, after any sequence of blocks, reorganisations and watchers', async () => {
    const people = await Promise.all([1, 2, 3].map(() => newDepositor(db, own)));
    const rounds = await Promise.all(
      [1, 2, 3].map(async (confirmations) => {
        const one = await watch({ confirmations });
        return (isStopped: () => boolean) => one.round(isStopped);
      }),
    );
    const chain = {
      ...{ pay, mine: blocks.mine.bind(blocks), reorg: blocks.reorg.bind(blocks) },
      ...{ resend: blocks.resend.bind(blocks), has: blocks.has.bind(blocks) },
    };
    const sums = await anySequence(chain, { seed: 7, steps: sized(8, 60), people, rounds });
    await watcher.round();
    for (const { id } of people) expect([id, await available(id)]).toEqual([id, usdt(sums.get(id) ?? 0)]);
  });
});

describe('Bitcoin Core', () => {
  const begin = async () => {
    core.behave(null);
    chains += 1;
    blocks = new FakeChain();
    await blocks.mine(10);
    const chain = coreSettings(core, { chain: `bitcoin-${chains}` });
    const watcher = await watcherOf(db, chain, chainSource(chain));
    await watcher.round();
    const ann = await newDepositor(db, chain);
    return { watcher, ann };
  };
  const states = async (address: string) =>
    (
      await db.owner.query(
        'select state, value::text, position from chain_deposits where address = $1 order by id',
        [address],
      )
    ).rows;

  test('a range has its own payments alone, and those of addresses that are watched', async () => {
    const { ann } = await begin();
    for (const height of [11, 12, 13]) {
      await blocks.pay(ann.to, BigInt(height));
      await blocks.mine();
    }
    const source = chainSource(coreSettings(core));
    await source.watch?.(9, 10);
    const read = async (from: number, to: number, of: string[]) =>
      (await source.payments(from, to, of)).map(({ height, value }) => [height, value]);
    expect(await read(12, 12, [ann.to])).toEqual([[12, 12n]]);
    expect(await read(11, 13, [ann.to])).toHaveLength(3);
    expect(await read(11, 13, ['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'])).toEqual([]);
  });

  test('amounts are read from the digits of the answer', () => {
    expect(['0.00000001', '20999999.97690000', '0.1', '1'].map(satoshis)).toEqual([
      1n,
      2_099_999_997_690_000n,
      10_000_000n,
      100_000_000n,
    ]);
    for (const text of ['1e-8', '0.000000001', '-1.00000000', '', '.5', '1.', '0x10', 'NaN'])
      expect(() => satoshis(text)).toThrow('the node tells an amount of');
  });

  test('the largest and the smallest amounts come to the satoshi, and payments are told apart by their outputs', async () => {
    const { watcher, ann } = await begin();
    await blocks.pay(ann.to, 2_099_999_997_689_999n);
    await blocks.pay(ann.to, 1n);
    await blocks.mine();
    await watcher.round();
    expect(await states(ann.to)).toEqual([
      { state: 'confirming', value: '2099999997689999', position: 1 },
      { state: 'unmatched', value: '1', position: 1 },
    ]);
  });

  test.each([
    ['an amount with an exponent', { amount: '@1e-8' }],
    ['an amount as text that is none', { amount: 'much' }],
    ['no amount', { amount: undefined }],
    ['a short hash', { txid: 'ab' }],
    ['no output', { vout: -1 }],
  ])('an answer with %s is refused', async (_what, change) => {
    const { watcher, ann } = await begin();
    await blocks.pay(ann.to, 5_000_000n);
    core.behave(async (method, _params, truth) => {
      if (method !== 'listsinceblock') return null;
      const { transactions, ...rest } = await truth();
      return {
        result: { ...rest, transactions: transactions.map((one: object) => ({ ...one, ...change })) },
      };
    });
    await blocks.mine(3);
    await expect(watcher.round()).rejects.toThrow(
      /^the node (answers listsinceblock in another form|tells an amount)/,
    );
    expect(await states(ann.to)).toEqual([]);
    core.behave(null);
    await watcher.round();
    await watcher.round();
    expect(await states(ann.to)).toMatchObject([{ state: 'credited', value: '5000000' }]);
  });

  test('a large amount waits until a second node has the same output in the same block', async () => {
    const { ann } = await begin();
    const settings = coreSettings(core, { chain: `bitcoin-${chains}` });
    const tokens = [{ asset: 'BTC', contract: '', decimals: 8, checkFrom: '0.5' }];
    const careful = await watcherOf(
      db,
      { ...settings, tokens },
      chainSource(settings),
      chainSource(settings, other.url),
    );
    otherBlocks = new FakeChain();
    await blocks.pay(ann.to, 50_000_000n);
    await blocks.pay(ann.to, 49_999_999n);
    await Promise.all([blocks.mine(3), otherBlocks.mine(13)]);
    await careful.round();
    expect(await states(ann.to)).toMatchObject([{ state: 'confirming' }, { state: 'credited' }]);
    otherBlocks = blocks;
    await careful.round();
    expect(await states(ann.to)).toMatchObject([{ state: 'credited' }, { state: 'credited' }]);
  });

  test('a wallet that is lost, not loaded or still reads blocks is made, loaded or waited for', async () => {
    const { watcher, ann } = await begin();
    await watcher.round();
    core.loseWallet();
    await blocks.pay(ann.to, 5_000_000n);
    await blocks.mine(2);
    const tellWallet = (change: object) =>
      core.behave(async (method, _params, truth) => {
        const info = method === 'getwalletinfo' ? await truth() : undefined;
        return info ? { result: { ...info, ...change } } : null;
      });
    tellWallet({ scanning: { progress: 0.5 } });
    await expect(watcher.round()).rejects.toThrow('has not read all blocks yet');
    tellWallet({ private_keys_enabled: true });
    await expect(watcher.round()).rejects.toThrow('has private keys');
    expect(await states(ann.to)).toEqual([]);
    core.behave(null);
    await watcher.round();
    expect(await states(ann.to)).toMatchObject([{ state: 'credited' }]);
  });
});

describe('a node of TRON', () => {
  const begin = async () => {
    tron.behave(null);
    chains += 1;
    blocks = new FakeChain();
    await blocks.mine(10);
    const chain = tronSettings(tron, { chain: `tron-${chains}` });
    const watcher = await watcherOf(db, chain, chainSource(chain));
    await watcher.round();
    return { watcher, ann: await newDepositor(db, chain) };
  };
  const states = async (address: string) =>
    (
      await db.owner.query('select state, reason from chain_deposits where address = $1 order by id', [
        address,
      ])
    ).rows;
  const results = 'gettransactioninfobyblocknum';

  test('transfers of nothing and of other tokens are no deposits, and failed transactions are not read', async () => {
    const { watcher, ann } = await begin();
    await blocks.pay(ann.to, 0n, TRON_USDT);
    await blocks.pay(ann.to, usdt(50), `0x${'cd'.repeat(20)}`);
    await blocks.mine(3);
    await blocks.pay(ann.to, usdt(70), TRON_USDT);
    await blocks.mine(3);
    tron.behave(async (method, [{ num }], truth) => {
      if (method !== results || num < 13) return null;
      const all: object[] = await truth();
      return { result: all.map((one) => ({ ...one, receipt: { result: 'OUT_OF_ENERGY' } })) };
    });
    await watcher.round();
    expect(await states(ann.to)).toEqual([
      { state: 'unmatched', reason: 'zero' },
      { state: 'unmatched', reason: 'token' },
    ]);
  });

  test.each([
    ['no results of a block that has transactions', async () => ({ result: [] })],
    ['an error', async () => ({ error: { code: 0, message: 'class java.lang.NullPointerException' } })],
    ['results of another form', async () => ({ result: [{ id: 1 }] })],
  ])('an answer with %s is refused', async (_what, lie) => {
    const { watcher, ann } = await begin();
    await blocks.pay(ann.to, usdt(25), TRON_USDT);
    await blocks.mine(3);
    tron.behave(async (method) => (method === results ? lie() : null));
    await expect(watcher.round()).rejects.toThrow();
    tron.behave(async (method, _params, truth) =>
      method === 'getblockbynum' ? { result: { ...(await truth()), blockID: '0'.repeat(64) } } : null,
    );
    await expect(watcher.round()).rejects.toThrow('the node answers with block');
    expect(await states(ann.to)).toEqual([]);
    tron.behave(null);
    await watcher.round();
    expect(await states(ann.to)).toMatchObject([{ state: 'credited' }]);
  });
});
