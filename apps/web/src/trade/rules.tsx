import type { ProductDetail } from '@fairtick/protocol';
import { useState } from 'react';
import { later } from '../parts/later.tsx';

const RulesDialog = later(() => import('./rules-dialog.tsx'));

/** The dialog with a product's rules; its code comes with its first opening. */
export function Rules(props: { detail: ProductDetail | null; isOpen: boolean; onClose: () => void }) {
  const { detail, ...dialog } = props;
  const [wasOpen, setWasOpen] = useState(dialog.isOpen);
  if (dialog.isOpen && !wasOpen) setWasOpen(true);
  return detail && wasOpen && <RulesDialog detail={detail} {...dialog} />;
}
