import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  isNameOfRefusal,
  letADayPass,
  moneyOf,
  newPayee,
  type Payee,
  payByHand,
  statusOf,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import type { StaffRole } from '@fairtick/protocol/office';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';

/** Proposes every request; also has the approver's role, like the same person's second account. */
let editor: string;
let firstApprover: string;
const actors = new Map<string, string>();

const WRONG_ROLES = ['support', 'verification', 'content', 'catalogue', 'auditor', 'administrator'] as const;
const ACTORS = [
  'the editor',
  'the editor’s second account',
  'the first approver',
  'an approver of today',
  'an approver who was sent home',
  'another cashier',
  ...WRONG_ROLES,
  'nobody',
  'another approver',
] as const;
type Actor = (typeof ACTORS)[number];

async function staffWith(roles: readonly StaffRole[], options: { usableIn?: string; person?: string } = {}) {
  const [first, ...more] = roles as [StaffRole, ...StaffRole[]];
  const id = await installStaff(db.owner, first);
  for (const role of more) {
    await db.owner.query('insert into staff_roles (staff_id, role, usable_from) values ($1, $2, now())', [
      id,
      role,
    ]);
  }
  if (options.usableIn)
    await db.owner.query('update staff_roles set usable_from = now() + $2::interval where staff_id = $1', [
      id,
      options.usableIn,
    ]);
  if (options.person)
    await db.owner.query('update staff set person = (select person from staff where id = $2) where id = $1', [
      id,
      options.person,
    ]);
  return id;
}

/**
 * Promise 16: every state of a request, with everyone who might approve it. Each case is made anew, so that none depends on
 * another. The test checks both the answer and the resulting state.
 */
const db = auditedDatabase();
beforeAll(async () => {
  editor = await staffWith(['cashier', 'approver']);
  firstApprover = await staffWith(['approver']);
  actors.set('the editor', editor);
  actors.set('the editor’s second account', await staffWith(['approver'], { person: editor }));
  actors.set('the first approver', firstApprover);
  actors.set('an approver of today', await staffWith(['approver'], { usableIn: '1 hour' }));
  const home = await staffWith(['approver']);
  await db.owner.query('update staff set is_active = false where id = $1', [home]);
  actors.set('an approver who was sent home', home);
  actors.set('another cashier', await staffWith(['cashier']));
  for (const role of WRONG_ROLES) actors.set(role, await staffWith([role]));
  actors.set('nobody', '999999');
  actors.set('another approver', await staffWith(['approver']));
});

// One editor proposes all of them; decisions of one test must not count in the next.
afterEach(() => letADayPass(db));

/** Brings a request of each kind into each state. Large ones take more than one approval. */
const LARGE = usdt(6_000);
const SMALL = usdt(50);
interface Kind {
  readonly make: (payee: Payee, amount: bigint) => Promise<string>;
  readonly propose: (id: string) => Promise<unknown>;
  readonly approve: (id: string, staff: string) => Promise<string>;
  readonly refuse: (id: string) => Promise<unknown>;
  readonly cancel: (id: string, payee: Payee) => Promise<unknown>;
}
let evidence = 0;
const approvalOf = (kind: 'deposit' | 'withdrawal') => async (id: string, staff: string) => {
  const content = (await ask(db, `${kind}_standing`, [id]))?.content ?? Buffer.alloc(32);
  return approveRequest(db, kind, [staff, id, content]);
};
const KINDS: Readonly<Record<'deposit' | 'withdrawal', Kind>> = {
  deposit: {
    make: (payee, amount) => deposit(db, payee, amount),
    // The amount differs, so that it takes one approver, or two if it is large.
    propose: (id) => ask(db, 'deposit_find', [editor, id, usdt(49), `evidence ${++evidence}`]),
    approve: approvalOf('deposit'),
    refuse: (id) => ask(db, 'deposit_refuse', [editor, id, 'failure', 'not_received', null]),
    cancel: (id, payee) => ask(db, 'deposit_cancel', [payee.tokenHash, id]),
  },
  withdrawal: {
    make: (payee, amount) => withdrawal(db, payee, amount),
    propose: (id) => ask(db, 'withdrawal_propose', [editor, id, '']),
    approve: approvalOf('withdrawal'),
    refuse: (id) => ask(db, 'withdrawal_refuse', [editor, id, 'security', null]),
    cancel: (id, payee) => ask(db, 'withdrawal_cancel', [payee.tokenHash, id]),
  },
};
const STATES = [
  'submitted',
  'proposed',
  'half approved',
  'edited after an approval',
  'decided',
  'failed',
  'taken back',
] as const;
type State = (typeof STATES)[number];

async function bring(kind: Kind, payee: Payee, state: State): Promise<string> {
  const isLarge = state === 'half approved' || state === 'edited after an approval';
  const id = await kind.make(payee, isLarge ? LARGE : SMALL);
  if (state === 'submitted') return id;
  if (state === 'failed') await kind.refuse(id);
  if (state === 'taken back') await kind.cancel(id, payee);
  if (state === 'failed' || state === 'taken back') return id;
  await kind.propose(id);
  if (state === 'proposed') return id;
  await kind.approve(id, firstApprover);
  if (state === 'edited after an approval') await kind.propose(id);
  return id;
}

/** The error that an approving actor gets, or the status that follows. */
function expected(kind: 'deposit' | 'withdrawal', state: State, actor: Actor): string {
  if (state === 'decided' || state === 'failed' || state === 'taken back') return 'REQUEST_CLOSED';
  if (state === 'submitted') return 'NOTHING_PROPOSED';
  if (actor === 'the editor' || actor === 'the editor’s second account') return 'OWN_EDIT';
  if (actor === 'an approver of today') return 'APPROVER_TOO_NEW';
  if (actor === 'the first approver' || actor === 'another approver') {
    // Two approvals of one person count once; an edit voids the first approval.
    const isEnough = state === 'proposed' || (state === 'half approved' && actor === 'another approver');
    if (!isEnough) return 'review';
    return kind === 'deposit' ? 'success' : 'approved';
  }
  return 'ROLE_MISSING';
}

describe.each(['deposit', 'withdrawal'] as const)('a %s', (name) => {
  test.each(STATES)('approvals follow the four-eyes rule when the request is %s', async (state) => {
    for (const actor of ACTORS) {
      const payee = await newPayee(db, name === 'withdrawal' ? LARGE : 0n);
      const id = await bring(KINDS[name], payee, state);
      const before = { status: await statusOf(db, name, id), money: await moneyOf(db, payee.id) };
      const answer = await KINDS[name].approve(id, actors.get(actor) as string);
      const about = `${state}, ${actor}`;
      expect([about, answer]).toEqual([about, expected(name, state, actor)]);
      if (isNameOfRefusal(answer) || answer === 'review') {
        const after = { status: await statusOf(db, name, id), money: await moneyOf(db, payee.id) };
        expect([about, after]).toEqual([about, before]);
      }
    }
    // No approval comes from a person who edited the same request, with whichever account.
    const { rows } = await db.owner.query(
      `select count(*)::int as own from approvals a
       join content_edits e on e.subject_id = a.subject_id and split_part(e.kind, '_', 1) = split_part(a.kind, '_', 1)
       where e.person = a.person`,
    );
    expect(rows[0].own).toBe(0);
  });

  test('only a cashier can make the proposal', async () => {
    for (const actor of ACTORS) {
      const payee = await newPayee(db, name === 'withdrawal' ? LARGE : 0n);
      const id = await KINDS[name].make(payee, SMALL);
      const staff = actors.get(actor) as string;
      const answer =
        name === 'deposit'
          ? await ask(db, 'deposit_find', [staff, id, usdt(49), `evidence ${++evidence}`])
          : await ask(db, 'withdrawal_propose', [staff, id, '']);
      const isCashier = actor === 'the editor' || actor === 'another cashier';
      expect([actor, answer === 'ROLE_MISSING']).toEqual([actor, !isCashier]);
    }
  });

  test('an approval of content that was replaced is refused', async () => {
    const payee = await newPayee(db, name === 'withdrawal' ? LARGE : 0n);
    const id = await KINDS[name].make(payee, SMALL);
    await KINDS[name].propose(id);
    const seen = await contentOf(db, name, id);
    await KINDS[name].propose(id);
    const other = actors.get('another approver');
    expect(await ask(db, `${name}_approve`, [other, id, seen])).toBe('CONTENT_CHANGED');
  });
});

test('only a cashier can pay an approved withdrawal', async () => {
  for (const actor of ACTORS) {
    const payee = await newPayee(db, LARGE);
    const id = await bring(KINDS.withdrawal, payee, 'decided');
    const answer = await payByHand(db, actors.get(actor), id, `paid by ${actor}`);
    const isCashier = actor === 'the editor' || actor === 'another cashier';
    expect([actor, answer]).toEqual([actor, isCashier ? '' : 'ROLE_MISSING']);
  }
});
