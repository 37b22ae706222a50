import { describe, expect, test } from 'vitest';
import { pauseFault, summarise } from './ticket-model.ts';

const NOW = Date.UTC(2026, 10, 22);

describe('a ticket during a customer’s break or self-exclusion', () => {
  const form = { direction: 'up', minutes: 1, amount: '10' } as const;
  const facts = { form, detail: null, asset: 'DEMO', available: '100.00', nowMs: NOW, isStale: true };

  test('shows the pause and its end before any other fault', () => {
    const until = NOW + 60_000;
    for (const [kind, id] of [
      ['break', 'ticket.onBreak'],
      ['exclusion', 'ticket.excluded'],
    ] as const) {
      const { fault, isComplete } = summarise({ ...facts, pause: { kind, until } });
      expect([fault, isComplete]).toEqual([{ id, untilMs: until }, false]);
    }
    expect(pauseFault({ kind: 'exclusion', until: null }, NOW)).toEqual({ id: 'ticket.excludedForGood' });
  });

  test('ignores a break that has ended', () => {
    expect(pauseFault({ kind: 'break', until: NOW }, NOW)).toBeNull();
    expect(pauseFault(null, NOW)).toBeNull();
    expect(summarise({ ...facts, pause: { kind: 'break', until: NOW } }).fault).toEqual({
      id: 'ticket.stale',
    });
  });
});
