import * as z from 'zod';
import { nullable, page, says, time } from '../answers.ts';
import { type Endpoint, file, get, nothing, post } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { SELDOM, SOMETIMES } from '../limit.ts';

/** Password and second factors, sessions, the customer's stored data, and closing the account. */

const passkeyQuestion = z.object({
  options: z.string().meta(says('For the browser’s authenticator, as JSON (WebAuthn).')),
});

const factor = z
  .object({
    id: z.string(),
    kind: z.enum(['totp', 'passkey']),
    label: z.string(),
    createdAt: time,
    lastUsedAt: nullable(time),
  })
  .meta({ id: 'Factor' });

const factorId = { id: fields.idOf('FACTOR_NOT_FOUND') };

const place = {
  device: z.string().meta(says('As the browser calls itself (User-Agent).')),
  address: nullable(z.string()).meta(says('The network address it came from; null: not known.')),
};
const device = z
  .object({ id: z.string(), isCurrent: z.boolean(), createdAt: time, lastUsedAt: time, ...place })
  .meta({ id: 'Device' });
const loginEvent = z
  .object({ id: z.string(), time, isSuccess: z.boolean(), ...place })
  .meta({ id: 'LoginEvent' });

/** The fields with which a caller reaches support before a login. */
export const callFields = {
  contact: fields.line(200, {
    description: 'How support can reach the customer.',
    example: 'me@mail.example',
  }),
  text: fields.words(2000, { description: 'What happened.', example: 'My codes are lost.' }),
};

export const securityEndpoints = {
  passkeyOptions: post(
    'user/passkeyOptions',
    'public',
    { account: fields.knownAccount('LOGIN_FAILED'), password: fields.knownPassword('LOGIN_FAILED') },
    passkeyQuestion,
    {
      limit: { attempt: 'login', guesses: ['login'] },
      summary: 'What a passkey is asked to sign at a login; counts as a try of it',
      errors: ['FACTOR_NOT_FOUND', 'NEW_DEVICES_HELD'],
    },
  ),
  takeBack: post(
    'user/takeBack',
    'public',
    {
      account: fields.knownAccount('TAKE_BACK_FAILED'),
      oldPassword: fields.knownPassword('TAKE_BACK_FAILED').meta({
        description: 'The password as it is, or as it was within the last 24 hours.',
        example: 'Demo-1234',
      }),
      otp: fields.otp.meta({
        description:
          'A code of a second factor from before, or a recovery code from before that was not used.',
        example: '123456',
      }),
      passkey: fields.passkey,
      ...callFields,
    },
    z.object({
      claimCode: z.string().meta(says('With it the claimant reads the claim’s state. Shown this once.')),
    }),
    {
      limit: { attempt: 'login', guesses: ['recovery', 'recovery factor'] },
      summary:
        'Claims an account whose password, second factors or recovery codes somebody else changed within the last 24 hours: withdrawals are held until two members of staff have decided, and every session is notified; nothing else changes',
    },
  ),
  takeBackOptions: post(
    'user/takeBackOptions',
    'public',
    {
      account: fields.knownAccount('TAKE_BACK_FAILED'),
      oldPassword: fields.knownPassword('TAKE_BACK_FAILED'),
    },
    passkeyQuestion,
    {
      limit: { attempt: 'login', guesses: ['recovery'] },
      summary: 'What a passkey from before is asked to sign for user/takeBack; counts as a try of it',
    },
  ),
  claimStatus: post(
    'user/claimStatus',
    'public',
    {
      claimCode: fields.line(100, {
        description: 'The code that user/takeBack answered.',
        example: 'ABCD-…',
      }),
    },
    z.object({
      state: z
        .enum(['open', 'disputed', 'approved', 'refused'])
        .meta(says('disputed: whoever holds the account says that the changes were theirs.')),
      at: time,
    }),
    {
      limit: { attempt: 'recovery request' },
      summary: 'The state of a claim, for its claimant',
      errors: ['CLAIM_NOT_FOUND'],
    },
  ),
  objectToClaim: post('user/objectToClaim', 'proved', {}, nothing, {
    limit: SELDOM,
    summary:
      'Says that the changes were one’s own, while a claim of the account is open: staff and claimant see that it is disputed',
    errors: ['CLAIM_NOT_FOUND'],
  }),
  reauthOptions: post('user/reauthOptions', 'session', {}, passkeyQuestion, {
    limit: SOMETIMES,
    summary: 'What a passkey is asked to sign for user/reauth',
    errors: ['FACTOR_NOT_FOUND'],
  }),
  factors: get(
    'user/factors',
    'session',
    {},
    z.object({
      factors: z.array(factor),
      recoveryCodes: z.int().meta(says('How many recovery codes are left.')),
      claim: nullable(z.object({ at: time, objectedAt: nullable(time), holdsUntil: time })).meta(
        says(
          'An open claim of the account, since when the customer objects to it, and until when it holds withdrawals unless staff keep it; null: there is none.',
        ),
      ),
    }),
    { summary: 'One’s second factors, how many recovery codes are left, and an open claim of the account' },
  ),
  beginTotp: post(
    'user/beginTotp',
    'proved',
    {},
    z.object({
      id: z.string(),
      secret: z.string(),
      uri: z.string().meta(says('The same for an authenticator app, to be shown as a QR code.')),
    }),
    {
      limit: SELDOM,
      summary: 'A new secret for an authenticator app; counts once a code of it was shown',
      errors: ['TOO_MANY_FACTORS'],
    },
  ),
  confirmTotp: post('user/confirmTotp', 'proved', { ...factorId, otp: fields.newOtp }, nothing, {
    limit: { ...SELDOM, guesses: ['factor'] },
    summary:
      'Shows a code of a new secret: it is a second factor from now on, other sessions end, withdrawals are held as after any change',
    errors: fields.OTP_FAULTS,
  }),
  beginPasskey: post('user/beginPasskey', 'proved', {}, passkeyQuestion, {
    limit: SELDOM,
    summary: 'What a new passkey is asked to sign',
    errors: ['TOO_MANY_FACTORS'],
  }),
  confirmPasskey: post(
    'user/confirmPasskey',
    'proved',
    {
      label: fields.line(40, { description: 'What it is called.', example: 'Blue key' }),
      passkey: fields.newPasskey,
    },
    nothing,
    {
      limit: SELDOM,
      summary: 'Keeps a new passkey: other sessions end, withdrawals are held as after any change',
      errors: [...fields.OTP_FAULTS, 'TOO_MANY_FACTORS'],
    },
  ),
  removeFactor: post('user/removeFactor', 'proved', factorId, nothing, {
    limit: SELDOM,
    summary: 'Removes a second factor; withdrawals are held as after any change',
  }),
  newRecoveryCodes: post(
    'user/newRecoveryCodes',
    'proved',
    {},
    z.object({ recoveryCodes: z.array(z.string()).meta(says('Shown this once.')) }),
    {
      limit: SELDOM,
      summary: 'New recovery codes; all older ones are void, and withdrawals are held as after any change',
    },
  ),
  sessions: get('user/sessions', 'session', {}, z.array(device), {
    summary: 'Where one is logged in, this session first',
  }),
  endSession: post('user/endSession', 'session', { id: fields.idOf('INVALID_VALUE') }, nothing, {
    summary: 'Signs one of one’s sessions out, on every process within a second; of none nothing happens',
  }),
  endOtherSessions: post('user/endOtherSessions', 'session', {}, nothing, {
    limit: SELDOM,
    summary: 'Signs out everywhere but here',
  }),
  logins: get('user/logins', 'session', fields.paged, page(loginEvent), {
    summary: 'Who logged in to one’s account, and who tried',
  }),
  exportData: file(
    'user/exportData',
    'proved',
    {},
    {
      types: ['application/zip'],
      limit: { isInDatabase: true },
      summary:
        'Everything stored about the customer: a JSON file and the pictures, packed; five times a day at most',
      errors: ['EXPORT_TOO_OFTEN'],
    },
  ),
  closeAccount: post(
    'user/closeAccount',
    'proved',
    { account: fields.knownAccount('ACCOUNT_DIFFERS') },
    nothing,
    {
      limit: SELDOM,
      summary:
        'Closes the account for good; refused while money is left or anything is under review. The account’s name is typed to confirm',
      errors: ['ACCOUNT_CLOSED', 'ACCOUNT_NOT_EMPTY', 'ACCOUNT_UNDER_REVIEW'],
    },
  ),
} satisfies Record<string, Endpoint>;
