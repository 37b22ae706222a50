import type { FaultTexts } from '@fairtick/ui';
import type { Text } from '../messages/text.ts';

/** The texts of a screen that failed. */
export const faultTexts = (t: Text['t']): FaultTexts => ({
  title: t('failed.title'),
  text: t('failed.text'),
  staleTitle: t('failed.staleTitle'),
  staleText: t('failed.staleText'),
  again: t('failed.again'),
  reload: t('failed.reload'),
});
