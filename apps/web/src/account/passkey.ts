import { type PasskeyFault, passkeyFaultOf } from '@fairtick/ui/passkey-fault';
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';

/** A call to the device's authenticator: its answer as JSON, or why there is none. */
type Asked = (options: string) => Promise<{ readonly passkey: string } | { readonly fault: PasskeyFault }>;

export const makePasskey: Asked = async (options) => {
  try {
    return { passkey: JSON.stringify(await startRegistration({ optionsJSON: JSON.parse(options) })) };
  } catch (error) {
    return { fault: passkeyFaultOf(error) };
  }
};

export const showPasskey: Asked = async (options) => {
  try {
    return { passkey: JSON.stringify(await startAuthentication({ optionsJSON: JSON.parse(options) })) };
  } catch (error) {
    return { fault: passkeyFaultOf(error) };
  }
};
