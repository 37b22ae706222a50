import { type DialogProps, ModalDialog } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import css from './dialog.module.css';

/** A modal sheet on a phone, a centred dialog on a wide screen; a tap beside it closes it. */
export function Dialog(props: DialogProps) {
  const { t } = useText();
  return <ModalDialog {...props} closeLabel={t('shell.close')} style={css} closedby="any" />;
}
