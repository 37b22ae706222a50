import { type Handlers, refusalOf } from '../../platform/http/context.ts';
import type { AccountParts } from '../identity/account-parts.ts';
import { passwordIsRight } from '../identity/login.ts';
import type { Destinations } from './destinations.ts';
import { readViews } from './views.ts';
import type { WithdrawalPasswords } from './withdrawal-passwords.ts';

export function personalHandlers(
  parts: AccountParts & {
    readonly withdrawalPasswords: WithdrawalPasswords;
    readonly destinations: Destinations;
  },
) {
  const { withdrawalPasswords, destinations } = parts;
  return {
    setPayWord: async ({ payWord, oldPayWord }, { session }) => {
      await withdrawalPasswords.set(session.customerId, payWord, oldPayWord);
      return null;
    },
    resetPayWord: async ({ payWord, password }, { session, caller, guess }) => {
      if (!(await passwordIsRight(parts, session.customerId, { password, caller, guess })))
        throw refusalOf('LOGIN_FAILED', 'password');
      await withdrawalPasswords.reset(session.customerId, payWord);
      return null;
    },
    setAddress: async (addresses, { session }) => {
      await destinations.setAddresses(session.customerId, addresses);
      return null;
    },
    setBank: async ({ id, kind = 'card', branch = '', checked = false, ...card }, { session }) => {
      const typed = { ...card, kind, branch, isChecked: checked };
      return { id: await destinations.setCard(session.customerId, id, typed) };
    },
    removeBank: async ({ id }, { session }) => {
      await destinations.removeCard(session.customerId, id);
      return null;
    },
    dataViews: (input, { session }) => readViews(parts.pool, session.customerId, input),
  } satisfies Partial<Handlers>;
}
