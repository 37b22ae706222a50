import { settingsOf } from '@fairtick/kit/chains/anvil.ts';
import { FAKE_TOKEN, FakeChain } from '@fairtick/kit/chains/fake-chain.ts';
import { newDepositor, watcherOf } from '@fairtick/kit/chains/watching.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import { usdt } from '@fairtick/kit/people/money.ts';
import { isOwned, ownershipText, parseHoldings } from '@fairtick/proof';
import { pino } from 'pino';
import { privateKeyToAccount } from 'viem/accounts';
import { beforeAll, expect, test } from 'vitest';
import { readLogHead } from '../../market/log/log-head.ts';
import { DailyLiabilities } from '../../transparency/liabilities/daily-liabilities.ts';
import { readHoldings } from '../../transparency/liabilities/owed-answers.ts';
import { PublicHeads } from '../treasury/public-heads.ts';
import { demandOwned } from './chain-holdings.ts';

/** Once a day the log states what the house holds on chains, at a block that anybody can ask a node for. */
const still = forFile(() => StillHouse.open());
const vault = privateKeyToAccount(`0x${'22'.repeat(32)}`);
const chain = new FakeChain();
let origin: string;
const settings = async (signedFor = origin) =>
  settingsOf(
    { url: 'http://no.example', token: FAKE_TOKEN },
    {
      own: [
        {
          address: vault.address,
          signature: await vault.signMessage({ message: ownershipText(signedFor, vault.address) }),
        },
      ],
    },
  );

beforeAll(async () => {
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  ({ origin } = await readLogHead(still.house.db.server));
});

const read = () => readHoldings({ ...still.house, db: still.house.db.server });

test('what is held is in the log once a day, after what is owed, with the signature of each address', async () => {
  const { db } = still.house;
  const own = await settings();
  const watcher = await watcherOf(db, own, chain);
  await watcher.round();
  const ann = await newDepositor(db, own);
  await chain.pay(ann.to, usdt(25));
  await chain.pay(vault.address, usdt(1_000));
  await chain.mine(5);
  await watcher.round();
  // Holdings come after the day's liabilities.
  expect(await read()).toEqual([]);
  const quiet = pino({ level: 'silent' });
  await new PublicHeads(db.serverAddress, quiet).run();
  for (let step = 0; step < 2; step += 1) await still.stepBy(1_000);
  await new DailyLiabilities(db.serverAddress, quiet).run();
  await chain.pay(ann.to, usdt(7));
  await chain.mine();
  for (let round = 0; round < 3; round += 1) await watcher.round();
  for (let step = 0; step < 4; step += 1) await still.stepBy(1_000);

  const [held, ...others] = await read();
  expect(others).toEqual([]);
  expect(held).toMatchObject({ asset: 'USDT', chain: own.chain, index: expect.any(Number) });
  expect((await readTexts(still.house)).filter((text) => text.startsWith('holdings|'))).toEqual([
    held?.entry,
  ]);
  const entry = parseHoldings(held?.entry ?? '');
  // The newest payment is in no final block yet.
  expect(entry).toMatchObject({
    deposits: usdt(25),
    height: '4',
    blockHash: await chain.hashAt(4),
    decimals: 6,
  });
  expect(entry?.own.map(({ address, units }) => [address, units])).toEqual([
    [vault.address.toLowerCase(), usdt(1_000)],
  ]);
  for (const one of entry?.own ?? []) expect(isOwned(origin, one)).toBe(true);
});

test('a start refuses an address that is signed for another house, and names the text to sign', async () => {
  const right = await settings();
  expect(() => demandOwned(right, origin)).not.toThrow();
  const wrong = await settings('other.example/log');
  expect(() => demandOwned(wrong, origin)).toThrow(ownershipText(origin, vault.address));
});
