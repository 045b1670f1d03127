// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// @title Reads many contracts in one call, none of them at the cost of the others.
/// @notice It is never deployed: an eth_call places its code at Multicall3's address by a state override. It is asked
/// and answers as Multicall3 does, with three differences. Every call gets the same gas, whatever the calls before it
/// used. An answer that is longer than any that is read counts as failed, and is not copied. It stops before the first
/// call that it has too little gas left for, so that its answer may be shorter than the list of calls.
contract BatchLens {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    /// @dev Several times what views of honest tokens take, those behind proxies included.
    uint256 private constant GAS_OF_CALL = 400_000;
    uint256 private constant LONGEST_ANSWER = 1024;
    /// @dev A call gets at most 63/64 of what there is (EIP-150). The rest is for writing its result.
    uint256 private constant GAS_BEFORE_CALL = GAS_OF_CALL + GAS_OF_CALL / 63 + 30_000;

    /// @dev The answer is written once, where it is returned from: results grow behind the list of their offsets.
    function aggregate3(Call[] calldata calls) external view returns (Result[] memory) {
        uint256 offsets;
        uint256 end;
        assembly {
            offsets := add(mload(0x40), 0x40)
            end := add(offsets, shl(5, calls.length))
        }
        uint256 count = 0;
        for (; count < calls.length && gasleft() > GAS_BEFORE_CALL; ++count) {
            address target = calls[count].target;
            bytes calldata data = calls[count].callData;
            assembly {
                mstore(add(offsets, shl(5, count)), sub(end, offsets))
                let content := add(end, 0x60)
                calldatacopy(content, data.offset, data.length)
                let success := staticcall(GAS_OF_CALL, target, content, data.length, 0, 0)
                let length := returndatasize()
                success := and(success, iszero(gt(length, LONGEST_ANSWER)))
                length := mul(success, length)
                mstore(end, success)
                mstore(add(end, 0x20), 0x40)
                mstore(add(end, 0x40), length)
                end := add(content, and(add(length, 0x1f), not(0x1f)))
                mstore(sub(end, mul(0x20, gt(length, 0))), 0)
                returndatacopy(content, 0, length)
            }
        }
        assembly {
            mstore(sub(offsets, 0x40), 0x20)
            mstore(sub(offsets, 0x20), count)
            return(sub(offsets, 0x40), sub(end, sub(offsets, 0x40)))
        }
    }
}
