import { isOutcomeUnknown, isUnavailable } from '@fairway/postgres';

/**
 * Writes, and does so once more where it is unknown whether the first try was carried out. The second finds what the first
 * has written, or writes it. Where it cannot be made either, the outcome stays unknown.
 */
export async function surely<Written>(
  write: () => Promise<Written>,
  again: () => Promise<Written> = write,
): Promise<Written> {
  try {
    return await write();
  } catch (cause) {
    if (!isOutcomeUnknown(cause)) throw cause;
    return again().catch((second: unknown) => {
      throw isUnavailable(second) ? cause : second;
    });
  }
}
