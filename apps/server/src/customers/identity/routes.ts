import { LANGUAGES } from '@fairtick/protocol';
import type { Products } from '../../market/products.ts';
import { type Handlers, RefusalError } from '../../platform/http/context.ts';
import { claimStatus, takeBack, takeBackOptions } from './account-claims.ts';
import { type AccountParts, isRefusal, type Refusal } from './account-parts.ts';
import { readStanding } from './credit-score.ts';
import { login, passkeyOptions, reauthenticate, setPassword } from './login.ts';
import { recover, requestRecovery } from './recovery.ts';
import { register } from './registration.ts';
import { readUserInfo } from './user-info.ts';

type IdentityEndpoint =
  | 'register'
  | 'login'
  | 'passkeyOptions'
  | 'logout'
  | 'recover'
  | 'recoverRequest'
  | 'takeBack'
  | 'takeBackOptions'
  | 'claimStatus'
  | 'getUserInfo'
  | 'standing'
  | 'setPassword'
  | 'reauth'
  | 'setUserName'
  | 'setLanguage'
  | 'setWatchlist';

export function identityHandlers(
  parts: AccountParts & { readonly products: Products },
): Pick<Handlers, IdentityEndpoint> {
  return {
    register: async (form, { caller, language, rememberDevice }) => {
      const registration = {
        account: form.account,
        password: form.password,
        country: form.country ?? null,
        acceptsRisk: form.acceptRisk ?? false,
        language,
      };
      const session = accepted(await register(parts, registration, caller));
      rememberDevice(session.userInfo.id);
      return session;
    },
    login: async (form, context) => {
      const session = accepted(await login(parts, { ...form, language: context.language }, context));
      context.rememberDevice(session.userInfo.id);
      return session;
    },
    passkeyOptions: async (form, context) => accepted(await passkeyOptions(parts, form, context)),
    logout: async (_input, { session }) => {
      await parts.sessions.end(session);
      return null;
    },
    recover: async (form, context) => {
      const { customerId } = accepted(await recover(parts, form, context));
      // So that the login that follows is not kept out by strangers' wrong guesses.
      context.rememberDevice(customerId);
      return null;
    },
    recoverRequest: async (form, { caller }) => accepted(await requestRecovery(parts, form, caller)),
    takeBack: async (form, context) => accepted(await takeBack(parts, form, context)),
    takeBackOptions: async (form, context) => accepted(await takeBackOptions(parts, form, context)),
    claimStatus: async ({ claimCode }) => accepted(await claimStatus(parts, claimCode)),
    getUserInfo: (_input, { session, language }) =>
      readUserInfo(parts, parts.pool, session.customerId, language),
    standing: (_input, { session }) => readStanding(parts.pool, session.customerId),
    setPassword: async (form, context) => accepted(await setPassword(parts, context.session, form, context)),
    reauth: async (form, context) => accepted(await reauthenticate(parts, context.session, form, context)),
    setUserName: async ({ nickname }, { session }) => {
      await parts.pool.query('update customers set nickname = $2 where id = $1', [
        session.customerId,
        nickname,
      ]);
      return null;
    },
    setLanguage: async ({ language }, { session }) => {
      if (!LANGUAGES.includes(language)) throw new RefusalError('INVALID_VALUE');
      await parts.pool.query('update customers set language = $2 where id = $1', [
        session.customerId,
        language,
      ]);
      return null;
    },
    setWatchlist: async ({ symbols }, { session }) => {
      const known = [...new Set(symbols.split(','))]
        .filter((symbol) => parts.products.bySymbol(symbol))
        .slice(0, 100);
      await parts.pool.query('update customers set watchlist = $2 where id = $1', [
        session.customerId,
        known,
      ]);
      return known;
    },
  };
}

function accepted<T>(outcome: T | Refusal): T {
  if (!isRefusal(outcome)) return outcome;
  throw new RefusalError(
    outcome.refused,
    outcome.field ? { fields: { [outcome.field]: outcome.refused } } : {},
  );
}
