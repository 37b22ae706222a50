import { useRefused } from '../../live/evidence.ts';
import { useText } from '../../messages/text-context.tsx';
import Contradiction from '../../orders/receipt-check/contradiction.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { forgetStored } from './placings.ts';

/** An order that was refused although the public log carries it, with both documents to save. It is shown again until it is closed. */
export default function RefusedDialog() {
  const { t } = useText();
  const refused = useRefused((state) => state.refused);
  const close = () => {
    if (refused) forgetStored(refused.key);
    useRefused.setState({ refused: null });
  };
  return (
    <Dialog title={t('evidence.wrong')} isOpen={refused !== null} onClose={close}>
      {refused && (
        <Contradiction
          kind="refused"
          orderId={refused.key.slice(0, 8)}
          held={refused.held}
          shown={refused.shown}
          isSound
        />
      )}
    </Dialog>
  );
}
