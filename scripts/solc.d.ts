/** The one entry of the Solidity compiler's package that is used; it ships no types. */
declare module 'solc' {
  const solc: {
    /** Compiles Solidity's standard JSON input, given and returned as text. */
    compile(input: string): string;
    version(): string;
  };
  export default solc;
}
