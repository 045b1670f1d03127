// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// @title A token whose description is an attack on whoever reads it.
/// @notice `hostility`, in its only word of storage, says which. What no case names is answered as a token does.
contract HostileListing {
    uint256 public hostility;

    uint256 private constant INVALID_IN_SYMBOL = 1;
    uint256 private constant INVALID_IN_ALL = 2;
    uint256 private constant LOOP_IN_NAME = 3;
    uint256 private constant LONG_SYMBOL = 4;
    uint256 private constant LONG_REVERT = 5;
    uint256 private constant BYTES32_TEXTS = 6;
    uint256 private constant TEXT_OF_NO_ENCODING = 7;
    uint256 private constant EMPTY_SYMBOL = 8;
    uint256 private constant REVERTS = 9;
    uint256 private constant DECIMALS_OF_300 = 10;
    uint256 private constant TEXT_BEYOND_ITS_END = 11;
    uint256 private constant LONG_NAME_OF_FACES = 12;

    function decimals() external view returns (uint256) {
        if (hostility == INVALID_IN_ALL) burn();
        if (hostility == REVERTS) revert("no token");
        return hostility == DECIMALS_OF_300 ? 300 : 18;
    }

    function balanceOf(address) external view returns (uint256) {
        if (hostility == INVALID_IN_ALL) burn();
        return 0;
    }

    function symbol() external view returns (string memory) {
        if (hostility == INVALID_IN_SYMBOL || hostility == INVALID_IN_ALL) burn();
        if (hostility == LONG_SYMBOL) long(false);
        if (hostility == LONG_REVERT) long(true);
        if (hostility == REVERTS) revert("no token");
        if (hostility == BYTES32_TEXTS) word("MKR");
        if (hostility == EMPTY_SYMBOL) return "";
        if (hostility == TEXT_OF_NO_ENCODING) return string(abi.encodePacked(bytes4(0xff41fe80)));
        if (hostility == TEXT_BEYOND_ITS_END) beyond();
        return "HOST";
    }

    function name() external view returns (string memory) {
        if (hostility == INVALID_IN_ALL) burn();
        if (hostility == LOOP_IN_NAME) while (true) {}
        if (hostility == BYTES32_TEXTS) word("Maker");
        if (hostility == LONG_NAME_OF_FACES) return faces();
        return "Hostile";
    }

    function burn() private pure {
        assembly {
            invalid()
        }
    }

    /// @dev As much as the gas it was given allows: memory costs the square of its length.
    function long(bool reverts) private view {
        assembly {
            let words := 1
            for {} lt(add(mul(3, mul(words, 2)), div(mul(mul(words, 2), mul(words, 2)), 512)), gas()) {} {
                words := mul(words, 2)
            }
            if reverts { revert(0, mul(32, words)) }
            return(0, mul(32, words))
        }
    }

    function word(bytes32 text) private pure {
        assembly {
            mstore(0, text)
            return(0, 32)
        }
    }

    function beyond() private pure {
        assembly {
            mstore(0, 0x20)
            mstore(0x20, not(0))
            return(0, 0x40)
        }
    }

    /// @dev 63 letters and then characters of two units of UTF-16, so that a cut after 64 units is within one.
    function faces() private pure returns (string memory) {
        return string.concat(
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            unicode"😀😀😀😀"
        );
    }
}
