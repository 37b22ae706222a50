import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';

/** A call to the device's authenticator. Null: the reader cancelled, or the device has none. */
type Asked = (options: string) => Promise<string | null>;

export const canUsePasskeys = (): boolean => browserSupportsWebAuthn();

export const makePasskey: Asked = async (options) => {
  const answer = await startRegistration({ optionsJSON: JSON.parse(options) }).catch(() => null);
  return answer && JSON.stringify(answer);
};

export const showPasskey: Asked = async (options) => {
  const answer = await startAuthentication({ optionsJSON: JSON.parse(options) }).catch(() => null);
  return answer && JSON.stringify(answer);
};
