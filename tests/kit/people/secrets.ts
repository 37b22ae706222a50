import { expect } from 'vitest';
import { post, type Registered, register } from '../clients/api-client.ts';
import { submitReal } from './pictures.ts';

/** A customer's secrets, in words that occur nowhere else. */
export const SECRETS = {
  realName: 'Schwarzspecht Ännchen',
  idNumber: 'KX99ROTKEHLCHEN',
  idAddress: 'Nachtigallenweg 7',
  currentAddress: 'Gimpelgasse 9',
  holder: 'Mauersegler',
  bank: 'Dompfaffbank',
  branch: 'Zeisigfiliale',
  cardNumber: '4012888888881881',
  ETH: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  payWord: '918273',
};

/** A new customer who has told all of them, for a verification, a card, an address and a withdrawal password. */
export async function tellSecrets(origin: string): Promise<Registered> {
  const told = await register(origin);
  const { token } = told;
  const { realName, idNumber, idAddress, currentAddress, ETH, payWord, ...card } = SECRETS;
  const answers = [
    await submitReal(origin, token, { realName, idNumber, idAddress, currentAddress }),
    await post(origin, 'user/setBank', card, { token }),
    await post(origin, 'user/setAddress', { ETH }, { token }),
    await post(origin, 'user/setPayWord', { payWord }, { token }),
  ];
  expect(answers.map(({ body }) => body.error)).toEqual([undefined, undefined, undefined, undefined]);
  return told;
}
