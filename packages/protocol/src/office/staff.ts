import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { LANGUAGES } from '../languages.ts';
import { BY_STAFF } from '../limit.ts';
import { STAFF_ROLES } from '../staff-roles.ts';
import { officeGet, officePost } from './operation.ts';
import { made, ms, PROVED, pages, proposal } from './parts.ts';

const role = z.enum(STAFF_ROLES);

/** The logged-in member of staff. */
const me = z.object({
  id: z.string(),
  account: z.string(),
  name: z.string(),
  roles: z.array(z.object({ role, usableFrom: ms })),
  language: z.enum(LANGUAGES),
  mode: z.enum(['demo', 'live']),
  mustChangePassword: z.boolean(),
  factors: z.array(z.enum(['totp', 'passkey'])),
  /** Whether the person must set up a second factor before anything else. */
  needsFactor: z.boolean(),
  /** The person's own customer accounts, about which they may not decide. */
  customers: z.array(z.string()),
  /** The session is proved until then; after it, such operations ask for a step-up. */
  freshUntil: ms,
  serverTime: ms,
});

const text = (max: number) => z.string({ error: 'INVALID_VALUE' }).max(max, { error: 'INVALID_VALUE' });
/** An authenticator's answer, as JSON. */
const passkey = text(20_000).min(1, { error: 'INVALID_VALUE' }).optional();
const credentials = {
  account: fields.knownAccount('LOGIN_FAILED'),
  password: fields.knownPassword('LOGIN_FAILED'),
};

const staffMember = z.object({
  id: z.string(),
  account: z.string(),
  name: z.string(),
  person: z.string(),
  isActive: z.boolean(),
  isDemo: z.boolean(),
  factors: z.int(),
  roles: z.array(z.object({ role, grantedAt: ms, usableFrom: ms })),
  /** The customer accounts that this member of staff owns. */
  customers: z.array(z.string()),
  createdAt: ms,
  createdBy: z.string().nullable(),
  lastLoginAt: ms.nullable(),
});

/** `turn_off` is for administrators, whom no one person may turn off alone; `link` states that a person is also a customer. */
const CHANGE_KINDS = ['enable', 'turn_off', 'grant', 'revoke', 'reset', 'link', 'unlink'] as const;

const staffChange = z.object({
  id: z.string(),
  kind: z.enum(CHANGE_KINDS),
  staffId: z.string(),
  account: z.string(),
  role: role.nullable(),
  /** Only for links. */
  customerId: z.string().nullable(),
  proposedBy: z.string(),
  proposedAt: ms,
  state: proposal.status,
  decidedBy: z.string().nullable(),
  decidedAt: ms.nullable(),
});

const auditEntry = z.object({
  seq: z.int(),
  time: ms,
  staffId: z.string().nullable(),
  account: z.string().nullable(),
  action: z.string(),
  subject: z.string(),
  /** Amounts as decimals, assets by their code; `audit/chain` has what was written. */
  facts: z.record(z.string(), z.unknown()),
});

/** A question for a passkey, as JSON. */
const question = z.object({ options: z.string() });
const change = { id: fields.idOf('CHANGE_NOT_FOUND') };
const factor = { id: fields.idOf('FACTOR_NOT_FOUND') };
const customerId = fields.idOf('CUSTOMER_NOT_FOUND');
const staffId = fields.idOf('STAFF_NOT_FOUND');

/** Sessions, second factors, staff, roles and the audit log. */
export const staffOperations = {
  'session/login': officePost('public', { ...credentials, otp: fields.otp, passkey }, me, {
    limit: { attempt: 'login', guesses: ['login'] },
    summary: 'Begins a session, as a cookie that scripts can’t read',
    errors: ['ONE_TIME_EXPIRED', 'OTP_REQUIRED', ...fields.OTP_FAULTS, 'TOO_MANY_REQUESTS'],
  }),
  'session/passkeyOptions': officePost('public', credentials, question, {
    limit: { attempt: 'login', guesses: ['login'] },
    summary: 'What the passkey is asked to sign at a login, as JSON',
    errors: ['TOO_MANY_REQUESTS', 'FACTOR_NOT_FOUND'],
  }),
  'session/me': officeGet('anyone', {}, me, { summary: 'Who is logged in', isSetUp: true }),
  'session/logout': officePost('anyone', {}, nothing, {
    summary: 'Ends this session, on every process at once',
    isSetUp: true,
  }),
  'session/stepUp': officePost(
    'anyone',
    { password: text(1000).optional(), otp: fields.otp, passkey },
    z.object({ freshUntil: ms }),
    {
      limit: { ...BY_STAFF, guesses: ['session'] },
      summary: 'A passkey, or the password with the second factor where one is on, once more',
      isSetUp: true,
      errors: ['LOGIN_FAILED', 'OTP_REQUIRED', ...fields.OTP_FAULTS],
    },
  ),
  'session/stepUpOptions': officePost('anyone', {}, question, {
    summary: 'What the passkey is asked to sign at a step-up, as JSON',
    isSetUp: true,
    errors: ['FACTOR_NOT_FOUND'],
  }),
  'session/setPassword': officePost(
    'anyone',
    {
      oldPassword: fields.knownPassword('OLD_PASSWORD_WRONG'),
      password: fields.newPassword,
      confirmPassword: fields.confirmPassword,
    },
    nothing,
    {
      limit: { ...BY_STAFF, guesses: ['session'] },
      summary: 'Changes the password; other sessions end',
      isSetUp: true,
      errors: [...fields.PASSWORD_FAULTS, 'PASSWORD_UNCHANGED'],
    },
  ),
  'session/setLanguage': officePost('anyone', { language: fields.choice(LANGUAGES) }, nothing, {
    summary: 'Remembers the language',
    isSetUp: true,
  }),
  'session/list': officeGet(
    'anyone',
    {},
    z.array(
      z.object({
        id: z.string(),
        createdAt: ms,
        lastUsedAt: ms,
        userAgent: z.string(),
        address: z.string().nullable(),
        isThis: z.boolean(),
      }),
    ),
    { summary: 'One’s own sessions' },
  ),
  'session/end': officePost('anyone', { id: fields.idOf('INVALID_VALUE') }, nothing, {
    summary: 'Ends one of one’s own sessions',
  }),

  'factor/list': officeGet(
    'anyone',
    {},
    z.array(
      z.object({
        id: z.string(),
        kind: z.enum(['totp', 'passkey']),
        label: z.string(),
        createdAt: ms,
        lastUsedAt: ms.nullable(),
      }),
    ),
    { summary: 'One’s own second factors', isSetUp: true },
  ),
  'factor/beginTotp': officePost(
    'anyone',
    {},
    z.object({ id: z.string(), secret: z.string(), uri: z.string() }),
    {
      summary: 'A new secret for an authenticator app; counts once a code of it was shown',
      isSetUp: true,
      ...PROVED,
      errors: ['OTP_REQUIRED', 'TOO_MANY_FACTORS'],
    },
  ),
  'factor/confirmTotp': officePost('anyone', { ...factor, otp: fields.newOtp }, nothing, {
    limit: { ...BY_STAFF, guesses: ['factor'] },
    summary: 'Shows a code of a new secret',
    isSetUp: true,
    ...PROVED,
    errors: [...fields.OTP_FAULTS, 'OTP_REQUIRED'],
  }),
  'factor/beginPasskey': officePost('anyone', {}, question, {
    summary: 'What a new passkey is asked to sign, as JSON',
    isSetUp: true,
    ...PROVED,
    errors: ['OTP_REQUIRED', 'TOO_MANY_FACTORS'],
  }),
  'factor/confirmPasskey': officePost(
    'anyone',
    {
      label: fields.line(40, { description: 'What it is called.', example: 'Blue key' }),
      passkey: text(20_000),
    },
    nothing,
    {
      summary: 'Keeps a new passkey',
      isSetUp: true,
      ...PROVED,
      errors: [...fields.OTP_FAULTS, 'OTP_REQUIRED', 'TOO_MANY_FACTORS'],
    },
  ),
  'factor/remove': officePost('anyone', factor, nothing, {
    summary: 'Removes a second factor; in live mode not the last one',
    ...PROVED,
    errors: ['LAST_FACTOR'],
  }),

  'staff/list': officeGet(['administrator', 'auditor'], {}, z.array(staffMember), {
    summary: 'All staff with their roles',
  }),
  'staff/rules': officeGet(
    'anyone',
    {},
    z.array(
      z.object({
        kind: z.string(),
        editRole: role.nullable(),
        role,
        needed: z.int(),
        above: z.array(z.object({ asset: z.string(), amount: z.string(), needed: z.int() })),
      }),
    ),
    { summary: 'Four eyes: who prepares what, who approves it, and how many of them' },
  ),
  'staff/changes': pages(['administrator', 'auditor'], staffChange, 'Changes of staff, newest first'),
  'staff/create': officePost(
    ['administrator'],
    {
      account: fields.account,
      name: fields.line(40, { description: 'What colleagues see.', example: 'Lin Mei' }),
      person: z
        .string({ error: 'FORM_INCOMPLETE' })
        .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, { error: 'INVALID_VALUE' }),
    },
    z.object({ id: z.string(), oneTimePassword: z.string() }),
    {
      summary: 'A new account: off until another administrator agrees. The first password is shown once',
      ...PROVED,
      errors: ['ACCOUNT_TAKEN'],
    },
  ),
  'staff/propose': officePost(
    ['administrator'],
    {
      kind: fields.choice(CHANGE_KINDS),
      staffId,
      role: fields.choice(STAFF_ROLES).optional(),
      customerId: customerId.optional(),
    },
    made,
    {
      summary: 'Proposes a change; another administrator carries it out',
      ...PROVED,
      errors: ['ABOUT_ONESELF', 'NOTHING_NEW', 'ROLES_CONFLICT', 'APPROVER_TOO_NEW'],
    },
  ),
  'staff/carryOut': officePost(
    ['administrator'],
    change,
    z.object({ oneTimePassword: z.string().nullable() }),
    {
      summary: 'Agrees to a change, which takes effect; a reset shows the new password once',
      ...PROVED,
      errors: ['OWN_EDIT', 'ABOUT_ONESELF', 'APPROVER_TOO_NEW', 'TOO_FEW_ADMINISTRATORS', 'ROLES_CONFLICT'],
    },
  ),
  'staff/refuse': officePost(['administrator'], change, nothing, {
    summary: 'Sets a proposal aside',
    ...PROVED,
    errors: ['ABOUT_ONESELF'],
  }),
  'staff/declareCustomer': officePost('anyone', { customerId }, nothing, {
    summary: 'Says that a customer account is one’s own: one decides nothing about it from now on',
    errors: ['NOTHING_NEW'],
  }),
  'staff/disable': officePost(
    ['administrator'],
    {
      id: fields.idOf('NOTHING_NEW'),
      reason: fields.line(500, { description: 'Why.', example: 'Left the company' }),
    },
    nothing,
    {
      summary:
        'Turns an account off at once, but no administrator’s: that, and turning it on again, takes two',
      ...PROVED,
      errors: ['ABOUT_ONESELF', 'APPROVALS_MISSING'],
    },
  ),

  'service/openapi': officeGet('anyone', {}, z.unknown(), {
    summary: 'This API as an OpenAPI document',
    isFile: true,
  }),
  'audit/list': pages(['auditor', 'administrator'], auditEntry, 'The audit log, newest first', {
    staffId: fields.idOf('INVALID_VALUE').optional(),
    subject: text(100).optional(),
    action: text(60).optional(),
  }),
  'audit/chain': officeGet(
    ['auditor', 'administrator'],
    { from: fields.whole(0, Number.MAX_SAFE_INTEGER) },
    z.object({
      /** The texts that are hashed, in order, at most 1 000 of them. */
      items: z.array(z.object({ seq: z.int(), entry: z.string(), hash: z.string() })),
      size: z.int(),
      head: z.string(),
    }),
    {
      summary:
        'What the audit log’s chain is verified with: hash = SHA-256(the hash before it || the entry’s UTF-8), beginning with 32 zero bytes',
    },
  ),
};
