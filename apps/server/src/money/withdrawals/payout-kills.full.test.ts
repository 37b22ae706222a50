import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { PaymentProvider } from '@fairtick/kit/installation/payment-provider.ts';
import { killPayouts } from '@fairtick/kit/processes/payout-kills.ts';
import { expect, test } from 'vitest';

const db = auditedDatabase();
const provider = forFile(() => PaymentProvider.open());

test('a payout whose process is killed while it is sent is paid and booked once', async () => {
  const rounds = await killPayouts(db, provider, { rounds: 6, seed: 1 });
  expect(rounds.map(({ payments, booked }) => ({ payments, booked }))).toEqual(
    Array.from({ length: 6 }, () => ({ payments: 1, booked: 1 })),
  );
  // Whatever the provider was asked for had been committed.
  expect(rounds.filter(({ moment, standing }) => moment !== 'random' && standing !== 'sending')).toEqual([]);
});
