/**
 * How requests are signed. STATIC: with these credentials. CONTAINER: with those that the platform serves at a URL,
 * as Amazon ECS and EKS do. `authorization` is the text of the header, `authorizationFile` a file that holds it.
 */
export type KmsCredentials =
  | {
      readonly kind: 'STATIC';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    }
  | {
      readonly kind: 'CONTAINER';
      readonly url: string;
      readonly authorization?: string;
      readonly authorizationFile?: string;
    };

/** How the key management service is reached. `timeoutMs`: how long it may take to answer; 5 s unless given. */
export type KmsAccess = {
  /** Absent: there are none, so that no request can be made. */
  readonly credentials?: KmsCredentials;
  readonly timeoutMs?: number;
};

/** The credentials of one request. */
export type SigningCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};
