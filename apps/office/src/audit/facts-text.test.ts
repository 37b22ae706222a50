import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import en from '../messages/en.json' with { type: 'json' };
import { factsText, subjectText } from './facts-text.ts';

const texts: Readonly<Record<string, string>> = en;
const word = (prefix: string, name: string) => texts[`${prefix}.${name}`] ?? name;
const words = {
  word,
  time: () => '2026-11-25 10:00:00',
  named: (name: string, value: string) => `${name}: ${value}`,
  yes: texts['audit.yes'] as string,
  no: texts['audit.no'] as string,
};
const textOf = (action: string, facts: Record<string, unknown>, subject = '') =>
  factsText({ action, subject, facts }, words);

test('facts of the audit log are read in words, never by our names for them', () => {
  expect(textOf('session.login', { isStrong: false })).toBe('With a second factor: no');
  expect(textOf('withdrawal.failure', { reason: 'payout_returned' })).toBe('Reason: Payout returned');
  expect(textOf('deposit.find', { asset: 'USDT', found: '500.000000', evidence: null })).toBe(
    'Asset: USDT · Found: 500.00',
  );
  expect(textOf('staff.propose', { kind: 'grant', role: 'approver' })).toBe(
    'Kind: Grant role · Role: Approver',
  );
  expect(textOf('rules.propose', { effectiveMs: 1, presets: ['10.00', '50.00'] })).toBe(
    'Takes effect: 2026-11-25 10:00:00 · Presets: 10.00, 50.00',
  );
  expect(textOf('approve', { content: 'a'.repeat(64) })).toBe('Content: aaaaaaaaaaaa…');
  expect(textOf('approve', { kind: 'interest', amount: '12.000000' }, 'statement_line:3')).toBe(
    'Kind: Interest · Amount: 12.00',
  );
  expect(textOf('approve', { change: 'grant', staff: 4, role: 'cashier' }, 'staff_change:9')).toBe(
    'Change: Grant role · Staff number: 4 · Role: Cashier',
  );
  expect(subjectText('withdrawal:1000', word)).toBe('Withdrawal 1000');
  expect(subjectText('staff_change:7', word)).toBe('Staff change 7');
});

test('every action and every fact that the database writes has words', () => {
  const schema = new URL('../../../server/schema/', import.meta.url);
  const sql = readdirSync(schema, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(new URL(file, schema), 'utf8'))
    .join('\n');
  const calls = [...sql.matchAll(/audit_append\([^,]+, '([a-z_.]+)', ('[a-z_]+:')?[^;]*;/g)];
  expect(calls.length).toBeGreaterThan(25);
  for (const [call, action = '', subject] of calls) {
    if (!action.endsWith('.')) expect(texts).toHaveProperty([`action.${action}`]);
    if (subject) expect(texts).toHaveProperty([`subject.${subject.slice(1, -2)}`]);
    const facts = call.split('jsonb_build_object').slice(1).join();
    for (const [, name] of facts.matchAll(/[(,]\s*'([a-zA-Z]+)', /g))
      expect(texts).toHaveProperty([`fact.${name}`]);
  }
});

test('every rule of four eyes has words', () => {
  const sql = readFileSync(new URL('../../../server/schema/office/four-eyes.sql', import.meta.url), 'utf8');
  const rules = [...sql.matchAll(/\('([a-z_]+)', (?:'[a-z]+'|null), '[a-z]+', \d+\)/g)].map(
    ([, kind]) => kind,
  );
  expect(rules.length).toBeGreaterThan(12);
  for (const kind of rules) expect(texts).toHaveProperty([`rule.${kind}`]);
});
