// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// @title A token whose transfers do not move what they are asked to.
/// @notice Its storage is laid out as that of the sandbox's tokens: its code can take the place of theirs, balances
/// and allowances stay. `hostility`, in the word after them, says what it does, and the next one how large a part it keeps.
contract HostileToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public hostility;
    uint256 public partBps;
    uint8 public constant decimals = 18;

    uint256 private constant KEEPS_OF_ALL = 1;
    uint256 private constant KEEPS_OF_WHAT_CONTRACTS_GET = 2;
    uint256 private constant KEEPS_OF_WHAT_CONTRACTS_PAY = 3;
    uint256 private constant KEEPS_OF_WHAT_IS_PULLED = 4;
    uint256 private constant KEEPS_ONE_UNIT = 5;
    uint256 private constant TAKES_MORE = 6;
    uint256 private constant MOVES_NOTHING = 7;
    uint256 private constant PAYS_MORE = 8;

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value, false);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "transfer exceeds allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value, true);
        return true;
    }

    function move(address from, address to, uint256 value, bool isPulled) private {
        emit Transfer(from, to, value);
        if (hostility == MOVES_NOTHING) return;
        uint256 part = value * partBps / 10_000;
        bool keeps = hostility == KEEPS_OF_ALL
            || (hostility == KEEPS_OF_WHAT_CONTRACTS_GET && to.code.length > 0)
            || (hostility == KEEPS_OF_WHAT_CONTRACTS_PAY && from.code.length > 0)
            || (hostility == KEEPS_OF_WHAT_IS_PULLED && isPulled);
        balanceOf[from] -= hostility == TAKES_MORE ? value + part : value;
        uint256 received = value;
        if (keeps) received -= part;
        if (hostility == KEEPS_ONE_UNIT) received -= 1;
        if (hostility == PAYS_MORE) received += part;
        balanceOf[to] += received;
    }
}
