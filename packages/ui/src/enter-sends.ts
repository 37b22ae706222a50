interface PressedKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly keyCode: number;
  readonly nativeEvent: { readonly isComposing: boolean };
}

/** The key code of every key that an input method handles. */
const INPUT_METHOD = 229;

/**
 * Whether a key is an Enter that ends a word of an input method. Safari ends the word before it reports the key, and only the key
 * code tells then.
 */
export const endsWord = ({ nativeEvent, keyCode }: PressedKey): boolean =>
  nativeEvent.isComposing || keyCode === INPUT_METHOD;

/** Whether Enter sends a message: with a keyboard, and not on a phone, where it begins a new line. */
export const enterSends = (): boolean => matchMedia('(pointer: fine)').matches;

export const isSendingEnter = (event: PressedKey): boolean =>
  event.key === 'Enter' && !event.shiftKey && !endsWord(event) && enterSends();
