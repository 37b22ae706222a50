import { passkeyFaultOf } from '@fairtick/ui/passkey-fault';
import { useText } from '../messages/text-context.tsx';
import { useToast } from '../state/toast.ts';

/** Says why the browser gave no passkey; for the `catch` of a WebAuthn call, which then has the value null. */
export function usePasskeyFault(): (error: unknown) => null {
  const { t } = useText();
  return (error) => {
    useToast.getState().show(t(`passkey.${passkeyFaultOf(error)}`));
    return null;
  };
}
