import type { Products } from '../../market/products.ts';
import type { Handlers } from '../../platform/http/context.ts';
import { claimStatus, takeBack, takeBackOptions } from './account-claims.ts';
import type { AccountParts } from './account-parts.ts';
import { readStanding } from './credit-score.ts';
import { login, passkeyOptions, reauthenticate, setPassword } from './login.ts';
import { recover, requestRecovery } from './recovery.ts';
import { register } from './registration.ts';
import { readUserInfo } from './user-info.ts';

export function identityHandlers(parts: AccountParts & { readonly products: Products }) {
  return {
    register: async (form, { caller, language, rememberDevice }) => {
      const registration = {
        account: form.account,
        password: form.password,
        country: form.country ?? null,
        acceptsRisk: form.acceptRisk ?? false,
        language,
      };
      const session = await register(parts, registration, caller);
      rememberDevice(session.userInfo.id);
      return session;
    },
    login: async (form, context) => {
      const session = await login(parts, { ...form, language: context.language }, context);
      context.rememberDevice(session.userInfo.id);
      return session;
    },
    passkeyOptions: (form, context) => passkeyOptions(parts, form, context),
    logout: async (_input, { session }) => {
      await parts.sessions.end(session);
      return null;
    },
    recover: async (form, context) => {
      const { customerId } = await recover(parts, form, context);
      // So that the login that follows is not kept out by strangers' wrong guesses.
      context.rememberDevice(customerId);
      return null;
    },
    recoverRequest: (form, { caller }) => requestRecovery(parts, form, caller),
    takeBack: (form, context) => takeBack(parts, form, context),
    takeBackOptions: (form, context) => takeBackOptions(parts, form, context),
    claimStatus: ({ claimCode }) => claimStatus(parts, claimCode),
    getUserInfo: (_input, { session, language }) =>
      readUserInfo(parts, parts.pool, session.customerId, language),
    standing: (_input, { session }) => readStanding(parts.pool, session.customerId),
    setPassword: (form, context) => setPassword(parts, context.session, form, context),
    reauth: (form, context) => reauthenticate(parts, context.session, form, context),
    setUserName: async ({ nickname }, { session: { customerId } }) => {
      await parts.pool.query('update customers set nickname = $2 where id = $1', [customerId, nickname]);
      return null;
    },
    setLanguage: async ({ language }, { session: { customerId } }) => {
      await parts.pool.query('update customers set language = $2 where id = $1', [customerId, language]);
      return null;
    },
    setWatchlist: async ({ symbols }, { session: { customerId } }) => {
      const known = [...new Set(symbols.split(','))]
        .filter((entry) => entry.startsWith('#') || parts.products.bySymbol(entry))
        .slice(0, 100);
      await parts.pool.query('update customers set watchlist = $2 where id = $1', [customerId, known]);
      return known;
    },
  } satisfies Partial<Handlers>;
}
