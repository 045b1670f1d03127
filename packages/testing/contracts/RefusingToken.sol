// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.28;

/// @title A token that refuses transfers: all of them, those of one account, or those above an amount.
/// @notice Its storage is laid out as that of the sandbox's tokens: its code can take the place of theirs, balances
/// and allowances stay. The three words after them say what it refuses.
contract RefusingToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public name;
    string public symbol;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public isPaused;
    uint256 public refused;
    uint256 public most;

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "transfer exceeds allowance");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        require(isPaused == 0, "token is paused");
        require(uint160(refused) != uint160(from) && uint160(refused) != uint160(to), "account is refused");
        require(most == 0 || value <= most, "amount is refused");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
