import { type PasskeyFault, passkeyFaultOf } from '@fairtick/ui/passkey-fault';
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';

/** The answer of the device's authenticator as JSON, or why there is none. */
async function answerOf(
  asked: Promise<unknown>,
): Promise<{ readonly passkey: string } | { readonly fault: PasskeyFault }> {
  try {
    return { passkey: JSON.stringify(await asked) };
  } catch (error) {
    return { fault: passkeyFaultOf(error) };
  }
}

export const makePasskey = (options: string) =>
  answerOf(startRegistration({ optionsJSON: JSON.parse(options) }));

export const showPasskey = (options: string) =>
  answerOf(startAuthentication({ optionsJSON: JSON.parse(options) }));
