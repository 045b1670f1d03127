import { conversionOf } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { Corridor } from '@fairway/wire';
import type { Corridors, ListedCorridor } from '../corridors/corridors.ts';
import { eip55 } from '@fairway/api';

/** Lists corridors in the form of the API. An unchanged list is the same object, so that its tag can be remembered. */
export type ListCorridors = (which: 'ACTIVE' | 'ALL') => readonly Corridor[];

/** Makes the list of corridors of a service that is reachable at `publicUrl`. */
export function createCorridorList(corridors: Corridors, publicUrl: () => string): ListCorridors {
  const lists = { ACTIVE: remembered(), ALL: remembered() };
  return (which) => lists[which](corridors.list(which).map((listed) => corridorBody(listed, publicUrl())));
}

function corridorBody({ corridor, sourceToken, targetToken }: ListedCorridor, publicUrl: string): Corridor {
  const { id, source, target } = corridor;
  const { country, rail, currency, type, custodian, settlementAddress, payoutAddresses } = target;
  return {
    id,
    source: {
      chainId: source.chainId,
      address: eip55(source.token),
      symbol: sourceToken.symbol,
      decimals: sourceToken.decimals,
    },
    target: {
      type,
      ...defined({ country }),
      currency,
      conversion: conversionOf(corridor),
      ...defined({ rail }),
      chainId: target.chainId,
      address: eip55(target.token),
      symbol: targetToken.symbol,
      decimals: targetToken.decimals,
      custodian,
      settlementAddress: eip55(settlementAddress),
      ...defined({ payoutAddresses: payoutAddresses?.map(eip55) }),
    },
    constraints: {
      status: corridor.status,
      modes: [...corridor.modes],
      recipientTypes: [...corridor.recipientTypes],
      ...defined({ destinations: destinationsBody(corridor) }),
      minAmountIn: corridor.minAmountIn,
      maxAmountIn: corridor.maxAmountIn,
      ...defined({ dustBelow: corridor.dustBelow, paymentApproval: corridor.paymentApproval }),
      ...(corridor.payeeCheck && { payeeCheck: { accepted: [...corridor.payeeCheck.accepted] } }),
      minConfirmations: corridor.minConfirmations,
      settlementTime: corridor.settlementTime,
      requirementsUrl: `${publicUrl}/v1/markets/corridors/${id}/requirements`,
    },
  };
}

function destinationsBody({ destinations }: ListedCorridor['corridor']) {
  return destinations && { ...destinations, bankCountries: [...destinations.bankCountries] };
}

/** Returns the list from before, instead of the next one, when both have the same text. */
function remembered(): (next: readonly Corridor[]) => readonly Corridor[] {
  let known: readonly Corridor[] = [];
  let knownText = '[]';
  return (next) => {
    const text = JSON.stringify(next);
    if (text !== knownText) [known, knownText] = [next, text];
    return known;
  };
}
