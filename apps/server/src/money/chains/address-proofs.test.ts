import { settingsOf } from '@fairtick/kit/chains/anvil.ts';
import { FAKE_TOKEN } from '@fairtick/kit/chains/fake-chain.ts';
import { newDepositor } from '@fairtick/kit/chains/watching.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { StillHouse } from '@fairtick/kit/installation/still-house.ts';
import { readTexts } from '@fairtick/kit/installation/writers.ts';
import { trustedKeys } from '@fairtick/kit/people/receipts.ts';
import { verifyAddress } from '@fairtick/proof';
import type { AddressProof } from '@fairtick/protocol';
import { beforeAll, expect, test } from 'vitest';
import { AddressProofs } from './address-proofs.ts';

/** Addresses of customers are in the public log, and each customer can check their own. */
const still = forFile(() => StillHouse.open());
const chain = settingsOf({ url: 'http://no.example', token: FAKE_TOKEN });
const people: { id: string; to: string }[] = [];

beforeAll(async () => {
  await still.stepBy(750);
  await still.tick('EUR/USD', '1.08400');
  for (let person = 0; person < 5; person += 1) people.push(await newDepositor(still.house.db, chain));
});

const taken = async () =>
  (await still.house.db.chain.query('select address_root_take() as size')).rows[0].size;
const logged = async () => {
  for (let step = 0; step < 4; step += 1) await still.stepBy(1_000);
};
const proofOf = async ({ id }: { id: string }) => {
  const { db, reader } = still.house;
  const [own] = await new AddressProofs({ db: db.server, reader, chains: [chain] }).of(id);
  return own as AddressProof;
};
const judge = async (proof: AddressProof, { id, to }: { id: string; to: string }) =>
  verifyAddress(proof, { address: to, customer: id, keys: trustedKeys(still.house).log });

test('each customer’s own address is proved by the log, and no other is', async () => {
  expect(await taken()).toBe(5);
  // A root is made once, and only for new addresses.
  expect(await taken()).toBeNull();
  await logged();
  const entries = (await readTexts(still.house)).filter((text) => text.startsWith('addresses|'));
  expect(entries).toEqual([expect.stringMatching(/^addresses\|4\|\d+\|5\|[0-9a-f]{64}$/)]);
  for (const person of people) expect(await judge(await proofOf(person), person)).toBeNull();
  const [ann, bob] = people as [{ id: string; to: string }, { id: string; to: string }];
  const proof = await proofOf(ann);
  expect(await judge(proof, { ...ann, to: bob.to })).toBe('address');
  expect(await judge(proof, { ...ann, id: bob.id })).toBe('address');
  expect(await judge({ ...proof, address: bob.to }, { ...ann, to: bob.to })).toBe('tree');
  expect(await judge({ ...proof, logged: null }, ann)).toBe('unlogged');
});

test('an address that was swapped after it was logged is not proved', async () => {
  const { owner } = still.house.db;
  const [ann] = people as [{ id: string; to: string }];
  const swapped = `0x${'99'.repeat(20)}`;
  await owner.query(
    `begin; alter table chain_addresses disable trigger user; update chain_addresses set address = '${swapped}' where address = '${ann.to}'; commit`,
  );
  expect(await judge(await proofOf(ann), { ...ann, to: swapped })).toBe('tree');
});

test('the tree grows, and former proofs stay right', async () => {
  const [, bob] = people as [unknown, { id: string; to: string }];
  const before = await proofOf(bob);
  const late = await newDepositor(still.house.db, chain);
  await still.house.db.owner.query(`update address_roots set taken_at = taken_at - interval '2 minutes'`);
  expect(await taken()).toBe(6);
  await logged();
  expect(await judge(await proofOf(late), late)).toBeNull();
  expect(await judge(await proofOf(bob), bob)).toBeNull();
  expect(await judge(before, bob)).toBeNull();
});
